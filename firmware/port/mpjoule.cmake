# SPDX-License-Identifier: GPL-2.0-or-later
# CMake's toolchain file for programs of the target (docs/manual/build-an-existing-project.md):
#   cmake -DCMAKE_TOOLCHAIN_FILE="$(mpjoule cc -print-file-name=mpjoule.cmake)" ...
# The command is that of the environment (MPJOULE), else of this build, else of PATH.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR arm)

if(DEFINED ENV{MPJOULE})
    set(mpjoule $ENV{MPJOULE})
elseif(EXISTS ${CMAKE_CURRENT_LIST_DIR}/../mpjoule)
    get_filename_component(mpjoule ${CMAKE_CURRENT_LIST_DIR}/../mpjoule ABSOLUTE)
else()
    set(mpjoule mpjoule)
endif()
set(CMAKE_C_COMPILER ${mpjoule} cc)
set(CMAKE_AR arm-none-eabi-ar)
set(CMAKE_RANLIB arm-none-eabi-ranlib)
set(CMAKE_STRIP arm-none-eabi-strip)
set(CMAKE_CROSSCOMPILING_EMULATOR ${CMAKE_CURRENT_LIST_DIR}/mpjoule-exec)

# project(NAME) asks for C++, too. It gets a compiler that refuses every source, which CMake shall not try.
set(CMAKE_CXX_COMPILER ${CMAKE_CURRENT_LIST_DIR}/mpjoule-c++)
set(CMAKE_CXX_COMPILER_ID_RUN TRUE)
set(CMAKE_CXX_COMPILER_FORCED TRUE)
set(CMAKE_CXX_COMPILER_ID GNU)
set(CMAKE_CXX_COMPILER_VERSION 12.2)
set(CMAKE_CXX_STANDARD_COMPUTED_DEFAULT 17)
set(CMAKE_CXX_EXTENSIONS_COMPUTED_DEFAULT ON)

# The checks of a project shall not find what only fails with ENOSYS: linking it is a warning.
get_property(checking GLOBAL PROPERTY IN_TRY_COMPILE)
if(checking)
    add_link_options(-Wl,--fatal-warnings)
endif()

# Libraries and packages of this machine are not the target's.
set(BUILD_SHARED_LIBS OFF CACHE BOOL "the target has no shared libraries")
set(CMAKE_FIND_ROOT_PATH ${CMAKE_CURRENT_LIST_DIR})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} ${CMAKE_CURRENT_LIST_DIR}/pkgconfig)
