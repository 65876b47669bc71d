# SPDX-License-Identifier: GPL-2.0-or-later
# cmake -DFILES=A,B -DOUT=HEADER -P runtime.cmake: a header that names the content of the files.
string(REPLACE "," ";" files "${FILES}")
foreach(file IN LISTS files)
    file(SHA256 ${file} sum)
    string(APPEND sums ${sum})
endforeach()
string(SHA256 sum "${sums}")
file(CONFIGURE OUTPUT ${OUT} CONTENT "#define MPJ_RUNTIME \"mpjoule runtime ${sum}\"\n" @ONLY)
