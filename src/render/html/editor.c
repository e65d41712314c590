/* SPDX-License-Identifier: Apache-2.0 */
/* The page of weir serve: models on the left, what is in the editor, and the report about it on the right. */
#include "base/error.h"
#include "render/html/assets.h"
#include "weir.h"

static void put(FILE *out, const unsigned char *bytes, size_t count)
{
    fwrite(bytes, 1, count, out);
}

enum weir_status weir_editor_write(bool writable, FILE *out, struct weir_error *error)
{
    fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n<title>weir</title>\n<style>\n",
          out);
    put(out, weir_asset_page_css, weir_asset_page_css_size);
    put(out, weir_asset_editor_css, weir_asset_editor_css_size);
    fprintf(out, "</style>\n</head>\n<body class=\"editor\" data-write=\"%s\">\n", writable ? "yes" : "no");
    put(out, weir_asset_editor_html, weir_asset_editor_html_size);
    fputs("<script type=\"application/json\" id=\"schema\">\n", out);
    enum weir_status status = weir_model_write_schema(out, error);
    if (status)
        return status;
    fputs("</script>\n<script>\n", out);
    put(out, weir_asset_code_js, weir_asset_code_js_size);
    fputs("</script>\n<script>\n", out);
    put(out, weir_asset_editor_js, weir_asset_editor_js_size);
    fputs("</script>\n</body>\n</html>\n", out);
    return weir_written(out, "the page", error);
}
