/* SPDX-License-Identifier: Apache-2.0 */
/* The version of the header is that of the library. */
#include "support/stage.h"

#include <stdio.h>

static void header_and_library_agree(void **state)
{
    char text[32];
    (void)state;
    snprintf(text, sizeof text, "%d.%d.%d", WEIR_VERSION_MAJOR, WEIR_VERSION_MINOR, WEIR_VERSION_PATCH);
    assert_string_equal(text, WEIR_VERSION);
    assert_string_equal(text, weir_version());
    assert_string_equal(text, WEIR_BUILD_VERSION);
    assert_int_equal(WEIR_VERSION_NUMBER, WEIR_VERSION_MAJOR * 10000 + WEIR_VERSION_MINOR * 100 + WEIR_VERSION_PATCH);
}

int version_group(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(header_and_library_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
