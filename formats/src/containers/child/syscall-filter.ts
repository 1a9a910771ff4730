/**
 * The calls of Linux that a process which reads foreign files cannot make, as a program for seccomp. What is named here is refused,
 * what is newer than the list is unknown to the process (`ENOSYS`, so that libraries take the older way), and everything else is
 * allowed: Landlock, resource limits and the lack of every capability hold that.
 */

/** Numbers on x64 and arm64; 0 where the machine has no such call. */
const numbers = {
  socket: [41, 198],
  socketpair: [53, 199],
  connect: [42, 203],
  bind: [49, 200],
  listen: [50, 201],
  accept: [43, 202],
  accept4: [288, 242],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  execve: [59, 221],
  execveat: [322, 281],
  fork: [57, 0],
  vfork: [58, 0],
  clone: [56, 220],
  clone3: [435, 435],
  unshare: [272, 97],
  setns: [308, 268],
  setsid: [112, 157],
  setpgid: [109, 154],
  kill: [62, 129],
  tkill: [200, 130],
  tgkill: [234, 131],
  rt_sigqueueinfo: [129, 138],
  rt_tgsigqueueinfo: [297, 240],
  pidfd_open: [434, 434],
  pidfd_getfd: [438, 438],
  pidfd_send_signal: [424, 424],
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  process_madvise: [440, 440],
  process_mrelease: [448, 448],
  kcmp: [312, 272],
  prlimit64: [302, 261],
  setpriority: [141, 140],
  sched_setparam: [142, 118],
  sched_setscheduler: [144, 119],
  sched_setattr: [314, 274],
  sched_setaffinity: [203, 122],
  ioprio_set: [251, 30],
  migrate_pages: [256, 238],
  move_pages: [279, 239],
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  personality: [135, 92],
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  shmget: [29, 194],
  shmat: [30, 196],
  shmctl: [31, 195],
  semget: [64, 190],
  semop: [65, 193],
  semtimedop: [220, 192],
  semctl: [66, 191],
  msgget: [68, 186],
  msgsnd: [69, 189],
  msgrcv: [70, 188],
  msgctl: [71, 187],
  mq_open: [240, 180],
  mq_unlink: [241, 181],
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsmount: [432, 432],
  mount_setattr: [442, 442],
  open_by_handle_at: [304, 265],
  fanotify_init: [300, 262],
  inotify_init: [253, 0],
  inotify_init1: [294, 26],
  chmod: [90, 0],
  fchmod: [91, 52],
  fchmodat: [268, 53],
  fchmodat2: [452, 452],
  chown: [92, 0],
  fchown: [93, 55],
  lchown: [94, 0],
  fchownat: [260, 54],
  truncate: [76, 45],
  utime: [132, 0],
  utimes: [235, 0],
  futimesat: [261, 0],
  utimensat: [280, 88],
  setxattr: [188, 5],
  lsetxattr: [189, 6],
  fsetxattr: [190, 7],
  setxattrat: [463, 463],
  removexattr: [197, 14],
  lremovexattr: [198, 15],
  fremovexattr: [199, 16],
  removexattrat: [466, 466],
  file_setattr: [469, 469],
} as const

type CallName = keyof typeof numbers

/** The last call of Linux 6.18: what comes after it nobody has looked at. */
const lastNumber = 469

const network: CallName[] = ['socket', 'connect', 'bind', 'listen', 'accept', 'accept4']
const ways: CallName[] = ['io_uring_setup', 'io_uring_enter', 'io_uring_register']
const otherProcesses: CallName[] = [
  ...(['pidfd_open', 'pidfd_getfd', 'pidfd_send_signal', 'rt_sigqueueinfo', 'rt_tgsigqueueinfo'] as const),
  ...(['ptrace', 'process_vm_readv', 'process_vm_writev', 'process_madvise', 'process_mrelease', 'kcmp'] as const),
  ...(['setpriority', 'sched_setparam', 'sched_setscheduler', 'sched_setattr', 'sched_setaffinity'] as const),
  ...(['ioprio_set', 'migrate_pages', 'move_pages', 'setsid', 'setpgid'] as const),
]
const sharedMemory: CallName[] = [
  ...(['shmget', 'shmat', 'shmctl', 'semget', 'semop', 'semtimedop', 'semctl'] as const),
  ...(['msgget', 'msgsnd', 'msgrcv', 'msgctl', 'mq_open', 'mq_unlink', 'add_key', 'request_key', 'keyctl'] as const),
]
const kernel: CallName[] = [
  ...(['bpf', 'perf_event_open', 'userfaultfd', 'personality', 'unshare', 'setns', 'mount', 'umount2'] as const),
  ...(['pivot_root', 'chroot', 'open_tree', 'move_mount', 'fsopen', 'fsmount', 'mount_setattr'] as const),
  ...(['open_by_handle_at', 'fanotify_init', 'inotify_init', 'inotify_init1'] as const),
]
/** Landlock does not ask about these, and files of a source are hard links to stored ones. */
const attributes: CallName[] = [
  ...(['chmod', 'fchmodat', 'fchmodat2', 'chown', 'fchown', 'lchown', 'fchownat', 'truncate'] as const),
  ...(['utime', 'utimes', 'futimesat', 'utimensat', 'setxattr', 'lsetxattr', 'fsetxattr', 'setxattrat'] as const),
  ...(['removexattr', 'lremovexattr', 'fremovexattr', 'removexattrat', 'file_setattr'] as const),
]
const starting: CallName[] = ['fork', 'vfork', 'execveat', 'socketpair', 'tkill']

const [notPermitted, unknownCall] = [1, 38]
const [threadFlag, streamSocket] = [0x10000, 1]
/** CLONE_NEW…: a namespace of its own would be a kernel of its own to talk to. */
const namespaceFlags = 0x7e020000

/** Values that the launcher puts its own in the place of: its process id, and the word that lets it execute once. */
export const filterMarks = { self: 0x7ffffff1, passLow: 0x7ffffff2, passHigh: 0x7ffffff3 }

type Instruction = readonly [code: number, whenTrue: number, whenFalse: number, value: number]

const load = (offset: number): Instruction => [0x20, 0, 0, offset]
const mask = (bits: number): Instruction => [0x54, 0, 0, bits]
const jumpIf = (value: number, whenTrue: number, whenFalse: number): Instruction => [0x15, whenTrue, whenFalse, value]
const jumpAbove = (value: number, whenTrue: number, whenFalse: number): Instruction => [
  0x25,
  whenTrue,
  whenFalse,
  value,
]
const answer = (action: number): Instruction => [0x06, 0, 0, action]
const allow = answer(0x7fff0000)
const end = answer(0x80000000)
/** `refuse(0)` is a call that does nothing and says that it has. */
const refuse = (errorNumber: number): Instruction => answer(0x00050000 | errorNumber)

const [callOffset, machineOffset] = [0, 4]
const argument = (index: number): number => 16 + 8 * index

/** Undefined where nobody has written down the numbers. */
export function buildSyscallFilter(startsChildren: boolean, machine: string = process.arch): Buffer | undefined {
  const column = machine === 'x64' ? 0 : machine === 'arm64' ? 1 : undefined
  if (column === undefined) return undefined
  /** What is done at a call; each ends with an answer. */
  const at = (name: CallName, ...steps: Instruction[]): Instruction[] =>
    numbers[name][column] === 0 ? [] : [jumpIf(numbers[name][column], 0, steps.length), ...steps]
  const refuseAll = (names: readonly CallName[]): Instruction[] =>
    names.flatMap((name) => at(name, refuse(notPermitted)))
  const onlyIf = (index: number, ...values: number[]): Instruction[] => [
    load(argument(index)),
    ...values.map((value, place) => jumpIf(value, values.length - place, 0)),
    refuse(notPermitted),
    allow,
  ]
  const { self, passLow, passHigh } = filterMarks
  const program: Instruction[] = [
    load(machineOffset),
    jumpIf(column === 0 ? 0xc000003e : 0xc00000b7, 1, 0),
    end,
    load(callOffset),
    // Also the second set of numbers that x64 has (x32).
    jumpAbove(lastNumber, 0, 1),
    refuse(unknownCall),
    ...refuseAll([...network, ...ways, ...otherProcesses, ...sharedMemory, ...kernel, ...attributes]),
    // Copying a file ends with it, and fails where it fails.
    ...at('fchmod', refuse(0)),
    ...at('clone3', refuse(unknownCall)),
    ...at('prlimit64', ...onlyIf(0, 0)),
    ...(startsChildren
      ? [
          ...at('clone', load(argument(0)), mask(namespaceFlags), jumpIf(0, 1, 0), refuse(notPermitted), allow),
          // Only such a pair is connected for good: any other kind could be sent elsewhere.
          ...at('socketpair', load(argument(1)), mask(0xf), jumpIf(streamSocket, 1, 0), refuse(notPermitted), allow),
        ]
      : [
          ...refuseAll(starting),
          ...at('clone', load(argument(0)), mask(threadFlag), jumpIf(threadFlag, 1, 0), refuse(notPermitted), allow),
          ...at('kill', ...onlyIf(0, self)),
          ...at('tgkill', ...onlyIf(0, self)),
          ...at(
            'execve',
            load(argument(3)),
            jumpIf(passLow, 0, 2),
            load(argument(3) + 4),
            jumpIf(passHigh, 1, 0),
            refuse(notPermitted),
            allow,
          ),
        ]),
    allow,
  ]
  const bytes = Buffer.alloc(8 * program.length)
  for (const [place, [code, whenTrue, whenFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, 8 * place)
    bytes.writeUInt8(whenTrue, 8 * place + 2)
    bytes.writeUInt8(whenFalse, 8 * place + 3)
    bytes.writeUInt32LE(value, 8 * place + 4)
  }
  return bytes
}
