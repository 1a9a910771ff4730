'use strict'
/**
 * The first program of every child that reads foreign files: it gives up for good what a parser does not need, and becomes the parser.
 * Landlock binds a thread and what that starts, and Node has other threads from its beginning; `execve` ends them, so everything that
 * the parser ever runs is bound. What the kernel lacks is left out (`probeSandbox` tells the operator); what it has and refuses ends
 * the child. Plain JavaScript with no package but koffi, since every child waits for it.
 */
const { closeSync, fstatSync, openSync } = require('node:fs')

const calls = {
  x64: { execve: 59, capset: 126 },
  arm64: { execve: 221, capset: 91 },
}[process.arch]
const landlock = { createRuleset: 444, addRule: 445, restrictSelf: 446 }
const control = { setDeathSignal: 1, setSeccomp: 22, setNoNewPrivileges: 38 }
const kill = 9
const openPathOnly = 0x200000
const capabilityVersion = 0x20080522
/** Execute, write, read, truncate, control a device: what can be asked for at a file; the other rights are those of folders. */
const rightsAtFiles = 0b1100_0000_0000_0111n

const plan = JSON.parse(process.argv[2])
const applied = { limits: false, noNewPrivileges: false, capabilities: false, landlock: 0, seccomp: false }

try {
  const kernel = openKernel()
  if (kernel) restrict(kernel)
  if (plan.isProbe) process.stdout.write(JSON.stringify(applied))
  else become(kernel)
} catch (error) {
  process.stderr.write(`A parser was not started, since its sandbox could not be made: ${error.message}\n`)
  process.exitCode = 126
}

/** Undefined where there is no koffi for this machine. */
function openKernel() {
  const koffi = loadKoffi()
  if (!koffi || !calls) return undefined
  const libc = koffi.load(null)
  // Node's own source of it takes longer to load than everything else here.
  const pass = new BigUint64Array(1)
  const getRandom = libc.func('getrandom', 'long', ['void *', 'size_t', 'uint'])
  if (getRandom(pass, 8, 0) !== 8) throw new Error(`getrandom: errno ${koffi.errno()}`)
  const call = (...types) => libc.func('syscall', 'long', ['long', ...types])
  return {
    getError: () => `errno ${koffi.errno()}`,
    prctl: libc.func('prctl', 'int', ['int', 'ulong', 'ulong', 'ulong', 'ulong']),
    setFilter: libc.func('prctl', 'int', [
      'int',
      'ulong',
      koffi.pointer(koffi.struct({ length: 'uint16', program: 'void *' })),
    ]),
    getLimit: libc.func('getrlimit', 'int', ['int', 'void *']),
    setLimit: libc.func('setrlimit', 'int', ['int', 'void *']),
    setDescriptor: libc.func('fcntl', 'int', ['int', 'int', 'int']),
    setCapabilities: call('void *', 'void *'),
    createRuleset: call('void *', 'size_t', 'uint'),
    addRule: call('int', 'int', 'void *', 'uint'),
    restrictSelf: call('int', 'uint'),
    execute: call('const char *', 'const char **', 'const char **', 'uint64'),
    /** Whoever does not know it cannot execute: nobody does after the first time. */
    pass: pass[0],
  }
}

/** Its compiled part by itself: what looks for that one and names it takes three times as long. Where it is another, that has to look. */
function loadKoffi() {
  for (const name of [`@koromix/koffi-linux-${process.arch}/linux_${process.arch}/koffi.node`, 'koffi'])
    try {
      return require(name)
    } catch {}
  return undefined
}

function restrict(kernel) {
  limitResources(kernel)
  applied.noNewPrivileges = kernel.prctl(control.setNoNewPrivileges, 1, 0, 0, 0) === 0
  // Of root nothing is left but the number: modes of files bind it as they bind anybody.
  const header = new Uint32Array([capabilityVersion, 0])
  applied.capabilities = kernel.setCapabilities(calls.capset, header, new Uint32Array(6)) === 0
  restrictFiles(kernel)
  kernel.prctl(control.setDeathSignal, kill, 0, 0, 0)
  // A parent that died before that would never be noticed.
  if (process.ppid !== plan.parentId) process.exit(125)
  restrictCalls(kernel)
}

function limitResources({ getLimit, setLimit, getError }) {
  for (const [resource, value] of plan.limits) {
    const pair = new BigUint64Array(2)
    if (getLimit(resource, pair) !== 0) throw new Error(`getrlimit ${resource}: ${getError()}`)
    pair.fill(pair[1] < BigInt(value) ? pair[1] : BigInt(value))
    if (setLimit(resource, pair) !== 0) throw new Error(`setrlimit ${resource}: ${getError()}`)
  }
  applied.limits = true
}

function restrictFiles({ createRuleset, addRule, restrictSelf, getError }) {
  const version = createRuleset(landlock.createRuleset, null, 0, 1)
  if (version < 1) return
  const handled = (1n << (version >= 5 ? 16n : version >= 3 ? 15n : version >= 2 ? 14n : 13n)) - 1n
  // After the files: no TCP port to bind or connect to; no abstract socket and no signal that leads out.
  const attributes = new BigUint64Array([handled, 3n, 3n])
  const rules = createRuleset(landlock.createRuleset, attributes, version >= 6 ? 24 : version >= 4 ? 16 : 8, 0)
  if (rules < 0) throw new Error(`landlock_create_ruleset: ${getError()}`)
  for (const [path, rights] of plan.rules) {
    const place = openPlace(path)
    if (place === undefined) continue
    const isFolder = fstatSync(place).isDirectory()
    const rule = Buffer.alloc(12)
    rule.writeBigUInt64LE(BigInt(rights) & handled & (isFolder ? handled : rightsAtFiles))
    rule.writeInt32LE(place, 8)
    if (addRule(landlock.addRule, rules, 1, rule, 0) !== 0) throw new Error(`landlock_add_rule ${path}: ${getError()}`)
    closeSync(place)
  }
  if (restrictSelf(landlock.restrictSelf, rules, 0) !== 0) throw new Error(`landlock_restrict_self: ${getError()}`)
  closeSync(rules)
  applied.landlock = version
}

/** What is not there needs no rule. */
function openPlace(path) {
  try {
    return openSync(path, openPathOnly)
  } catch {
    return undefined
  }
}

function restrictCalls({ setFilter, pass }) {
  const program = Buffer.from(plan.filter, 'base64')
  // Each instruction is a code (2 bytes), two jumps (1 byte each) and a value (4 bytes).
  for (let at = 4; at < program.length; at += 8) {
    const value = program.readUInt32LE(at)
    if (value === plan.marks.self) program.writeUInt32LE(process.pid, at)
    else if (value === plan.marks.passLow) program.writeUInt32LE(Number(pass & 0xffffffffn), at)
    else if (value === plan.marks.passHigh) program.writeUInt32LE(Number(pass >> 32n), at)
  }
  applied.seccomp = setFilter(control.setSeccomp, 2, { length: program.length / 8, program }) === 0
}

function become(kernel) {
  const { command, hasChannel } = plan
  const channel = hasChannel ? { NODE_CHANNEL_FD: '3', NODE_CHANNEL_SERIALIZATION_MODE: 'advanced' } : {}
  const environment = { ...process.env, ...channel }
  if (!kernel) return process.execve(command[0], command, environment)
  // Node has marked every descriptor to be closed.
  for (let descriptor = 0; descriptor <= (hasChannel ? 3 : 2); descriptor++) kernel.setDescriptor(descriptor, 2, 0)
  const pairs = Object.entries(environment).map(([name, value]) => `${name}=${value}`)
  kernel.execute(calls.execve, command[0], [...command, null], [...pairs, null], kernel.pass)
  throw new Error(`execve: ${kernel.getError()}`)
}
