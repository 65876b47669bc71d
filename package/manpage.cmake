# SPDX-License-Identifier: GPL-2.0-or-later
# A page of docs/man as a manual page. usage: cmake -DPAGE= -DOUT= -DLOWDOWN= -DVERSION= -P manpage.cmake
# Its first line is "# mpjoule NAME: WHAT"; man wants a section NAME with "mpjoule-NAME - WHAT" (apropos).
get_filename_component(name ${PAGE} NAME_WE)
file(READ ${PAGE} text)
if(NOT text MATCHES "^# mpjoule[^:\n]*: ([^\n]*)\n+(.*)$")
    message(FATAL_ERROR "${PAGE}: the first line is not \"# mpjoule NAME: WHAT\"")
endif()
set(what "${CMAKE_MATCH_1}")
set(body "${CMAKE_MATCH_2}")
string(REGEX REPLACE "(^|\n)## ([^\n]*)" "\\1# \\2" body "${body}")
set(made ${OUT}.md)
string(TOUPPER "${name}" title)
file(WRITE ${made} "# NAME\n\n${name} - ${what}\n\n# SYNOPSIS\n\n${body}")
get_filename_component(plain ${OUT} NAME_WLE)
get_filename_component(folder ${OUT} DIRECTORY)
execute_process(COMMAND ${LOWDOWN} -s -Tman -Mtitle=${title} -Msection=1 "-Msource=mpjoule ${VERSION}" -Mdate= -o ${folder}/${plain} ${made}
    COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND gzip -9nf ${folder}/${plain} COMMAND_ERROR_IS_FATAL ANY)
