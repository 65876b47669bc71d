/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The loader's image inside the installer. The flash is written by words. */
    .section .rodata.payload, "a", %progbits
    .balign 4
    .global install_payload
    .global install_payload_end
install_payload:
    .incbin LOADER_BIN
    .balign 4
install_payload_end:
