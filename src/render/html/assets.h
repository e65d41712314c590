/* SPDX-License-Identifier: Apache-2.0 */
/* What pages are made of: the files of assets/, put into the library when it is built. Each ends in a 0 that its size leaves out.
 */
#ifndef WEIR_RENDER_HTML_ASSETS_H
#define WEIR_RENDER_HTML_ASSETS_H

#include <stddef.h>

extern const unsigned char weir_asset_page_css[];
extern const size_t weir_asset_page_css_size;
extern const unsigned char weir_asset_page_js[];
extern const size_t weir_asset_page_js_size;
extern const unsigned char weir_asset_editor_html[];
extern const size_t weir_asset_editor_html_size;
extern const unsigned char weir_asset_editor_css[];
extern const size_t weir_asset_editor_css_size;
extern const unsigned char weir_asset_code_js[];
extern const size_t weir_asset_code_js_size;
extern const unsigned char weir_asset_editor_js[];
extern const size_t weir_asset_editor_js_size;
extern const unsigned char weir_asset_whatif_js[];
extern const size_t weir_asset_whatif_js_size;
extern const unsigned char weir_asset_live_js[];
extern const size_t weir_asset_live_js_size;
/* The engine as WebAssembly; empty where it could not be compiled. */
extern const unsigned char weir_asset_live_wasm[];
extern const size_t weir_asset_live_wasm_size;

#endif
