# SPDX-License-Identifier: Apache-2.0
# cmake -DNAME=weir_page_css -DINPUT=page.css -DOUTPUT=page_css.c -P embed.cmake: files, one behind the other, as an array of C
# with a 0 behind it. Names of files are separated by commas.
string(REPLACE "," ";" files "${INPUT}")
set(bytes "")
foreach(file ${files})
  file(READ "${file}" more HEX)
  string(APPEND bytes "${more}")
endforeach()
string(LENGTH "${bytes}" digits)
math(EXPR size "${digits} / 2")
string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE "${OUTPUT}" "#include \"render/html/assets.h\"\nconst unsigned char ${NAME}[] = {\n${bytes}0};\nconst size_t ${NAME}_size = ${size};\n")
