# SPDX-License-Identifier: GPL-2.0-or-later
# Adds tests with their time limits, their labels (tests/README.md) and the targets they need.
include_guard(GLOBAL)

# Limit for tests that hang: many times the duration on an idle machine.
set(MPJ_TEST_TIMEOUT 1500)

# The tests of ./test.sh --quick: at most 3 minutes on two cores, once all is built.
set(MPJ_QUICK "^(unit\\.|lint\\.(format|shell|words|layers|idioms|references)$|docs\\.options$|hil\\.test_run$|sim\\.(known_alu|known_cache\
|known_pmu|known_meet|golden|report|groups|pthread\\.api|pthread\\.mm|openmp\\.work|profile\\.block|libc\\.printf|determinism\\.locks)$)")

# mpj_test(NAME name LABELS label... COMMAND command [arg...] [NEEDS target...]
#          [ENVIRONMENT NAME=VALUE...] [DIRECTORY folder] [PROCESSORS n] [TIMEOUT seconds]
#          [APART] [FIGURES])
# PROCESSORS: in halves of a processor, as ./test.sh counts them for ctest -j; 2 by default, and 1 for tests with the
# label hil, which mostly wait for serial lines and for boards that do not answer.
# APART: only runs when its first label is named, as ./test.sh -L LABEL does (ctest -C LABEL).
# FIGURES: compares figures of programs with kept ones; skipped if those were made with another compiler.
# The target tests-LABEL builds what the tests with that label run: the command's own target, and NEEDS.
function(mpj_test)
    cmake_parse_arguments(T "APART;FIGURES" "NAME;DIRECTORY;PROCESSORS;TIMEOUT" "LABELS;COMMAND;NEEDS;ENVIRONMENT" ${ARGN})
    if(T_NAME MATCHES "${MPJ_QUICK}")
        list(APPEND T_LABELS quick)
    endif()
    if(T_DIRECTORY)
        file(MAKE_DIRECTORY ${T_DIRECTORY})
        set(directory WORKING_DIRECTORY ${T_DIRECTORY})
    endif()
    set(configurations "")
    set(figures "")
    if(T_APART)
        list(GET T_LABELS 0 label)
        set(configurations CONFIGURATIONS ${label})
    endif()
    if(T_FIGURES)
        set(figures ${CMAKE_SOURCE_DIR}/tests/harness/figures.sh)
    endif()
    add_test(NAME ${T_NAME} COMMAND ${figures} ${T_COMMAND} ${directory} ${configurations})
    if(NOT T_TIMEOUT)
        set(T_TIMEOUT ${MPJ_TEST_TIMEOUT})
    endif()
    set_tests_properties(${T_NAME} PROPERTIES TIMEOUT ${T_TIMEOUT} LABELS "${T_LABELS}")
    # Python keeps no compiled harness beside the sources.
    set_tests_properties(${T_NAME} PROPERTIES ENVIRONMENT "PYTHONDONTWRITEBYTECODE=1;${T_ENVIRONMENT}")
    if(T_FIGURES)
        set_tests_properties(${T_NAME} PROPERTIES SKIP_RETURN_CODE 77)
    endif()
    if(NOT T_PROCESSORS)
        set(T_PROCESSORS 2)
        if("hil" IN_LIST T_LABELS)
            set(T_PROCESSORS 1)
        endif()
    endif()
    set_tests_properties(${T_NAME} PROPERTIES PROCESSORS ${T_PROCESSORS})
    list(GET T_COMMAND 0 program)
    foreach(label IN LISTS T_LABELS)
        if(NOT TARGET tests-${label})
            add_custom_target(tests-${label})
        endif()
        foreach(target IN LISTS program T_NEEDS)
            if(TARGET ${target})
                add_dependencies(tests-${label} ${target})
            endif()
        endforeach()
    endforeach()
endfunction()
