# SPDX-License-Identifier: GPL-2.0-or-later
# Toolchain of the target: GNU Arm Embedded, bare metal, newlib.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR arm)
set(CMAKE_C_COMPILER arm-none-eabi-gcc)
set(CMAKE_ASM_COMPILER arm-none-eabi-gcc)
set(CMAKE_AR arm-none-eabi-gcc-ar)
set(CMAKE_RANLIB arm-none-eabi-gcc-ranlib)
set(CMAKE_OBJCOPY arm-none-eabi-objcopy)
# Linking needs our own start files, which are not built yet when CMake tries the compiler.
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)

set(MPJ_CPU_FLAGS "-mcpu=mpcore -marm -mfpu=vfpv2 -mfloat-abi=hard -mtp=cp15")
set(CMAKE_C_FLAGS_INIT "${MPJ_CPU_FLAGS}")
set(CMAKE_ASM_FLAGS_INIT "${MPJ_CPU_FLAGS}")
set(CMAKE_C_FLAGS_RELEASE "-O2 -g")
set(CMAKE_ASM_FLAGS_RELEASE "-g")

set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
