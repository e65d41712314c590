/* SPDX-License-Identifier: Apache-2.0 */
#include "base/library.h"
#include "support/runner.h"

TEST(the_first_that_there_is_is_opened)
{
    static const char *const names[] = {"libweir-is-not-there.so.1", "libm.so.6", NULL}, *const none[] = {"libweir-is-not-there.so",
                                                                                                          NULL};
    double (*root)(double) = NULL;
    void *library = weir_library_open(names);
    assert_non_null(library);
    assert_true(weir_library_find(library, "sqrt", &root, sizeof root));
    assert_true(root(9.0) > 2.9 && root(9.0) < 3.1);
    assert_false(weir_library_find(library, "weir_has_no_such_function", &root, sizeof root));
    assert_null(root);
    assert_null(weir_library_open(none));
    assert_null(weir_library_open(none + 1));
}
