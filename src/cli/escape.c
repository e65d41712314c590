/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

#include "base/csv.h"
#include "base/json.h"

void weir_print_json_text(FILE *out, const char *text)
{
    weir_json_quote(out, text);
}

void weir_print_csv_text(FILE *out, const char *text)
{
    weir_csv_field(out, text);
}

void weir_print_padded(const char *text, size_t columns)
{
    weir_text_padded(stdout, text, columns);
}
