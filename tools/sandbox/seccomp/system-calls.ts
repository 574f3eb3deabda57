/** Numbers of system calls, by the names of the kernel. */
interface CallNumbers {
  readonly denied: Readonly<Record<string, number>>
  readonly clone: number
  readonly clone3: number
  readonly unshare: number
  readonly ioctl: number
  readonly socket: number
  /** Takes what it opens from memory, where a filter cannot read it. */
  readonly openat2: number
  /** Calls that set the mode of a file, with the index of the mode among their arguments. */
  readonly modes: readonly (readonly [number: number, mode: number])[]
  /** Calls that set the mode of a file if they create it, with the indexes of their flags and of the mode. */
  readonly opens: readonly (readonly [number: number, flags: number, mode: number])[]
}

/** The numbers that are the same on all architectures. */
const commonDenied = {
  io_uring_setup: 425,
  io_uring_enter: 426,
  io_uring_register: 427,
  open_tree: 428,
  move_mount: 429,
  fsopen: 430,
  fsconfig: 431,
  fsmount: 432,
  fspick: 433,
  pidfd_getfd: 438,
  mount_setattr: 442,
  quotactl_fd: 443,
  open_tree_attr: 467,
}

/** See arch/x86/entry/syscalls/syscall_64.tbl of the kernel. */
const x64: CallNumbers = {
  denied: {
    ...commonDenied,
    ptrace: 101,
    syslog: 103,
    uselib: 134,
    modify_ldt: 154,
    vhangup: 153,
    pivot_root: 155,
    chroot: 161,
    acct: 163,
    mount: 165,
    umount2: 166,
    swapon: 167,
    swapoff: 168,
    reboot: 169,
    iopl: 172,
    ioperm: 173,
    init_module: 175,
    delete_module: 176,
    quotactl: 179,
    lookup_dcookie: 212,
    kexec_load: 246,
    add_key: 248,
    request_key: 249,
    keyctl: 250,
    perf_event_open: 298,
    open_by_handle_at: 304,
    setns: 308,
    process_vm_readv: 310,
    process_vm_writev: 311,
    kcmp: 312,
    finit_module: 313,
    kexec_file_load: 320,
    bpf: 321,
    userfaultfd: 323,
  },
  clone: 56,
  clone3: 435,
  unshare: 272,
  ioctl: 16,
  socket: 41,
  openat2: 437,
  // chmod, fchmod, fchmodat, fchmodat2, creat, mknod, mknodat
  modes: [
    [90, 1],
    [91, 1],
    [268, 2],
    [452, 2],
    [85, 1],
    [133, 1],
    [259, 2],
  ],
  // open, openat
  opens: [
    [2, 1, 2],
    [257, 2, 3],
  ],
}

/** See include/uapi/asm-generic/unistd.h of the kernel. */
const arm64: CallNumbers = {
  denied: {
    ...commonDenied,
    lookup_dcookie: 18,
    umount2: 39,
    mount: 40,
    pivot_root: 41,
    chroot: 51,
    vhangup: 58,
    quotactl: 60,
    acct: 89,
    kexec_load: 104,
    init_module: 105,
    delete_module: 106,
    syslog: 116,
    ptrace: 117,
    reboot: 142,
    add_key: 217,
    request_key: 218,
    keyctl: 219,
    swapon: 224,
    swapoff: 225,
    perf_event_open: 241,
    open_by_handle_at: 265,
    setns: 268,
    process_vm_readv: 270,
    process_vm_writev: 271,
    kcmp: 272,
    finit_module: 273,
    bpf: 280,
    userfaultfd: 282,
    kexec_file_load: 294,
  },
  clone: 220,
  clone3: 435,
  unshare: 97,
  ioctl: 29,
  socket: 198,
  openat2: 437,
  // fchmod, fchmodat, fchmodat2, mknodat
  modes: [
    [52, 1],
    [53, 2],
    [452, 2],
    [33, 2],
  ],
  // openat
  opens: [[56, 2, 3]],
}

/** An architecture as the kernel names it to filters (AUDIT_ARCH in linux/audit.h). */
export interface FilteredArchitecture {
  readonly audit: number
  /** The first number of a second set of system calls, for programs with short pointers. */
  readonly shortPointers?: number
  readonly calls: CallNumbers
}

/** The architectures with a filter, by the names that Node gives them. */
export const filteredArchitectures: Readonly<Record<string, FilteredArchitecture>> = {
  x64: { audit: 0xc000003e, shortPointers: 0x40000000, calls: x64 },
  arm64: { audit: 0xc00000b7, calls: arm64 },
}
