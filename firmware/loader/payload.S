/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Images that the installer writes. The flash is written by words. */
    .section .rodata.payload, "a", %progbits
    .balign 4
    .global install_boot
    .global install_boot_end
install_boot:
    .incbin BOOT_BIN
    .balign 4
install_boot_end:
    .global install_loader
    .global install_loader_end
install_loader:
    .incbin LOADER_BIN
    .balign 4
install_loader_end:
