# SPDX-License-Identifier: GPL-2.0-or-later
# Interrupt handlers run the scheduler: kernel code.
file(GLOB SCHED_SOURCES CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.c)
list(APPEND KERNEL_SOURCES ${SCHED_SOURCES})
list(APPEND FW_INCLUDES ${CMAKE_CURRENT_LIST_DIR})
