# SPDX-License-Identifier: GPL-2.0-or-later
# The table of workloads (in the folder WORKLOADS), for those who make tests of them.
include_guard(GLOBAL)

# mpj_workload_lines(OUT): its lines.
function(mpj_workload_lines out)
    set(table ${WORKLOADS}/workloads.txt)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table})
    file(STRINGS ${table} lines REGEX "^[^#]")
    set(${out} "${lines}" PARENT_SCOPE)
endfunction()

# mpj_workload(LINE): name, source, flags, the lists args (emulator) and quick (host), status.
function(mpj_workload line)
    string(REPLACE "|" ";" fields "${line}")
    list(TRANSFORM fields STRIP)
    list(LENGTH fields count)
    if(NOT count EQUAL 8)
        message(FATAL_ERROR "workloads.txt: ${count} fields instead of 8: ${line}")
    endif()
    list(GET fields 0 name)
    list(GET fields 1 source)
    list(GET fields 2 flags)
    list(GET fields 3 args)
    list(GET fields 4 quick)
    list(GET fields 5 status)
    separate_arguments(args UNIX_COMMAND "${args}")
    separate_arguments(quick UNIX_COMMAND "${quick}")
    foreach(key IN ITEMS name source flags args quick status)
        set(${key} "${${key}}" PARENT_SCOPE)
    endforeach()
endfunction()
