/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_RENDER_HTML_LIVE_LAYOUT_H
#define WEIR_RENDER_HTML_LIVE_LAYOUT_H

#include <stdbool.h>

extern bool weir_live_layout_crowded; /* whether the drawing in the page has no room for labels */

#endif
