// Commands of daily unlocking: a key store of the test, and commands that fail.

const node = (code: string) => JSON.stringify([process.execPath, "-e", code])

/** A key store that turns its input around, for either setting. */
export const REVERSE = node(
  "process.stdin.on('data', (d) => process.stdout.write([...String(d)].reverse().join('')))",
)

/** Settings of a command that unseals, and how `unlock --command` names what it did: its log and its exit status. */
export const FAULTY_COMMANDS: readonly (readonly [command: string, log: RegExp, status: number])[] = [
  ["", /the daily command needs COUNTERSIGN_[A-Z_]+_UNSEAL_COMMAND/, 2],
  [
    JSON.stringify(["/nowhere/there", "x"]),
    /\/nowhere\/there cannot be started \(ENOENT\).*shares always open the seed/,
    1,
  ],
  [node("console.error('no TPM'); process.exit(4)"), /ended with status 4: no TPM\. .*shares always open/, 1],
  [node("process.stdout.write('x'.repeat(5000))"), /printed more than 4096 bytes/, 1],
  [node("console.log('secret')"), /printed 7 bytes that are no key/, 3],
  [node("console.log('ab'.repeat(32))"), /a key that does not open this seed/, 3],
]
