/* SPDX-License-Identifier: Apache-2.0 */
#include "weir.h"

const char *weir_version(void)
{
    return WEIR_VERSION;
}
