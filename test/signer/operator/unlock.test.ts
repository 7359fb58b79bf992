// `unlock` and `lock` of the signer's program, against a running signer whose root seed is sealed.
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { Secret } from "../../../signer/core/crypto/secret.ts"
import { startCommand } from "../../harness/commands.ts"
import { FAULTY_COMMANDS } from "../../harness/daily-commands.ts"
import { runSlotCommand } from "../../../signer/core/seal-commands/slot-command.ts"
import { PASSPHRASE, sealedSigner } from "./sealed-signer.ts"

const { run, sheets, signer, environment } = await sealedSigner(t)

t.test("holders unlock a running signer from several terminals, and each fault is named", async (t) => {
  const [one = "", two = ""] = sheets
  t.match(await run(["status"]), { status: 3, out: /^SEALED: .*generation 1, 2 of 3 shares open it/ })
  t.match(await run(["pins"]), { status: 3, log: /no pins/ })
  const mistyped = `${one.split(" ").with(6, "zzzz").join(" ")}\n\n`
  t.match(await run(["unlock"], mistyped), {
    status: 3,
    log: /word 7 is not on the list/,
    out: /^locked: 0 of 2 shares/,
  })
  t.match(await run(["unlock"], `${two}\n`), { status: 3, out: /^locked: 1 of 2 shares are there \(2\)/ })
  t.match(await run(["unlock"], `${two}\n`), { status: 3, log: /share 2 .* was given already/ })
  t.match(await run(["status"]), { status: 3, out: /given so far: 2/ })
  const lines = one.split(" ").flatMap((word, index) => (index % 5 === 4 ? [word, "\n"] : [word, " "]))
  t.match(await run(["unlock", "--json"], lines.join("")), { status: 0, out: /"unlocked":true/ })
  t.match(await run(["status"]), { status: 0, out: /^READY/ })
  for (const words of [["unlock"], ["unlock", "--passphrase"]])
    t.match(await run(words, ""), {
      status: 3,
      log: /^countersign-signer: the seed is unlocked already: nothing was asked for\n$/,
    })
  t.match(await run(["lock"]), { status: 0, out: /^locked/ })
  t.match(await run(["status"]), { status: 3, out: /^SEALED/ })
  t.match(await run(["unlock", "--passphrase"], `${PASSPHRASE}?\n`), {
    status: 3,
    log: /passphrase does not open.*shares, which always open it/,
  })
  t.match(await run(["unlock", "--passphrase"], `${PASSPHRASE}\n`), { status: 0, out: "unlocked\n" })
  await run(["lock"])
  t.match(await run(["unlock", "--command"]), { status: 0, out: "unlocked\n" })
  const started = { program: "signer/operator/main.ts", words: ["lock"], environment, input: "" }
  t.match(await startCommand(started), { status: 0, out: /^locked/ }, "the program itself")
  const words = new Set(sheets.join(" ").split(" "))
  const spoken = signer.output.split(/[^a-z]+/).filter((word) => words.has(word))
  t.ok(new Set(spoken).size < 20, "the log has no share")
  t.notMatch(signer.output, PASSPHRASE)
})

t.test("W62: doctor warns of a seed that no mark holds in production, and that has no holders", async (t) => {
  const { out } = await run(["doctor"], "", { COUNTERSIGN_PRODUCTION: "true" })
  t.match(out, /warn +production: the sealed seed is not marked.*change-shares with this setting marks it/)
  t.match(out, /warn +holders: none are enrolled.*change-shares --holder KEY/)
})

t.test("W64: a command that fails, hangs or prints too much is named, and nothing changes", async (t) => {
  const ended = await Promise.all(
    FAULTY_COMMANDS.map(([command]) =>
      run(["unlock", "--command"], "", { COUNTERSIGN_SIGNER_UNSEAL_COMMAND: command }),
    ),
  )
  for (const [index, [command, log, status]] of FAULTY_COMMANDS.entries())
    t.match(ended[index], { status, out: "", log }, command)
  t.match(await run(["status"]), { status: 3, out: /^SEALED/ })
  t.match(await run(["unlock", "--command"], "", { COUNTERSIGN_SIGNER_UNSEAL_COMMAND: "systemd-creds" }), {
    status: 2,
    log: /UNSEAL_COMMAND: write a JSON list of texts/,
  })
})

t.test("W64: a command that hangs is ended with what it started", async (t) => {
  const directory = t.testdir()
  const file = join(directory, "pid")
  const code = `require("child_process").spawn("sleep", ["600"]).on("spawn", function () {
    require("fs").writeFileSync(${JSON.stringify(file)}, String(this.pid)) })`
  writeFileSync(file, "")
  const running = runSlotCommand([process.execPath, "-e", code], Secret.copyOf(Buffer.from("x")), 3_000)
  await t.rejects(running, { message: /did not end within 3 seconds/ })
  const pid = Number(readFileSync(file, "utf8"))
  t.ok(pid > 0)
  for (let tries = 0; tries < 100 && isRunning(pid); tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 20))
  t.notOk(isRunning(pid), "its child has ended too")
})

function isRunning(pid: number): boolean {
  try {
    return !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, "utf8"))
  } catch {
    return false
  }
}

t.test("a ceremony without a terminal is refused: a pipe or a file would keep the shares", async (t) => {
  for (const word of ["ceremony", "change-shares"])
    t.match(await run([word, "--shares", "3", "--threshold", "2"]), {
      status: 2,
      log: `${word} needs a terminal`,
    })
  t.match(await run(["ceremony"]), { status: 2, log: /needs --shares and --threshold/ })
  t.match(await run(["ceremony", "--shares", "many", "--threshold", "2"]), {
    status: 2,
    log: /--shares: write a whole number/,
  })
  t.match(await run(["status", "--shares", "3"]), {
    status: 2,
    log: /--shares belongs to ceremony, change-shares and approve/,
  })
  t.match(await run(["status", "--passphrase"]), {
    status: 2,
    log: /--passphrase belongs to ceremony, change-shares, change-daily and unlock/,
  })
  t.match(await run(["unlock", "--passphrase", "--command"]), { status: 2, log: /takes one way/ })
})
