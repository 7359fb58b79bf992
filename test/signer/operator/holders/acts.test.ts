// Holders' commands and approved acts, with real processes: the signer, its operator, holders on machines of their own.
import { spawnSync } from "node:child_process"
import { readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import t, { type Test } from "tap"
import { Passkey, USER_PRESENT } from "../../../harness/authenticator.ts"
import { Holder, USER_VERIFIED } from "../../../harness/holder-keys.ts"
import { sealedSigner } from "../sealed-signer.ts"

/** A running signer with three holders, unlocked. They approve setup codes too. The tests of the file share it. */
const keys = [new Holder(), new Holder(), new Holder()]
const sealed = await sealedSigner(t, {}, { holders: keys.map(({ hex }) => hex), approvesSetupCodes: true })
const { run, sheets } = sealed
t.match(await run(["unlock"], `${sheets[0]}\n${sheets[1]}\n`), { status: 0 })

/** A folder of one test, with the holders' keys in files. */
function setup(t: Test) {
  const folder = t.testdir()
  const path = (name: string) => join(folder, name)
  const files = keys.map((key, index) => {
    const file = path(`holder-${index + 1}.pem`)
    writeFileSync(file, key.privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 })
    return file
  })
  const prepare = async (...words: string[]) => {
    const { status, out, log } = await run(["approve", "prepare", ...words])
    if (status !== 0) throw new Error(log)
    writeFileSync(path("act.txt"), out)
    return out
  }
  const sign = async (index: number) => {
    const words = ["holder", "sign", path("act.txt"), "--key", files[index] ?? ""]
    const { status, out, log } = await run(words, "yes\n")
    if (status !== 0) throw new Error(log)
    const file = path(`approval-${index + 1}.json`)
    writeFileSync(file, out)
    return file
  }
  const withFiles = (...approvals: string[]) => approvals.flatMap((file) => ["--approvals", file])
  return { files, path, prepare, sign, withFiles }
}

t.test("a holder sees the text before they sign, and signs nothing without yes", async (t) => {
  const { path, files, prepare } = setup(t)
  const text = await prepare("accept-ledger", "--restored")
  const sign = ["holder", "sign", path("act.txt"), "--key", files[0] ?? ""]
  const refused = await run(sign, "no\n")
  t.match(refused, { status: 3, out: "", log: /not approved: nothing was signed/ })
  t.ok(refused.log.includes(text.trimEnd()), "the whole text")
  t.match(await run(sign, "y\n"), { status: 3, out: "" })
  t.match(await run(sign, ""), { status: 3, out: "" })
  writeFileSync(path("act.txt"), text.replace("accept-ledger", "accept-\u001b[2Jledger"))
  t.match(await run(sign, "yes\n"), {
    status: 3,
    out: "",
    log: /cannot be read: it is too long, or no plain text/,
  })
  writeFileSync(path("act.txt"), text.replace(/^Expires:.*$/m, "Expires:       2020-01-01T00:00:00.000Z"))
  t.match(await run(sign, "no\n"), { log: /the text has expired/ })
})

t.test("a holder's key is made with a passphrase, and opens with it alone", async (t) => {
  const { path, prepare } = setup(t)
  const file = path("new.pem")
  const passphrase = "seventeen syllables"
  const made = await run(["holder", "key", file], `short\n${passphrase}\n${passphrase}\n`)
  t.match(made, { status: 0, out: /^0[23][0-9a-f]{64}\n$/, log: /has 5 characters/ })
  t.equal(statSync(file).mode & 0o777, 0o600)
  t.match(readFileSync(file, "utf8"), /BEGIN ENCRYPTED PRIVATE KEY/)
  t.match(
    await run(["holder", "key", file], ""),
    { status: 1, log: /^countersign-signer: .* is there already/ },
    "unasked",
  )
  await prepare("accept-ledger", "--restored")
  const sign = ["holder", "sign", path("act.txt"), "--key", file]
  t.match(await run(sign, "yes\nwrong passphrase\n"), { status: 3, out: "", log: /the passphrase is wrong/ })
  const signed = await run(sign, `yes\n${passphrase}\n`)
  t.equal(JSON.parse(signed.out).publicKey, made.out.trim())
  const plain = await run(["holder", "key", path("plain.pem"), "--plain"])
  t.match(plain, { status: 0, log: /whoever reads this file approves in your name/ })
  t.match(readFileSync(path("plain.pem"), "utf8"), /BEGIN PRIVATE KEY/)
  t.notSame(plain.out.trim(), keys[0]?.hex)
})

t.test(
  "signatures of another program and answers of a passkey become approvals, if they verify",
  async (t) => {
    const { path, files, prepare, withFiles } = setup(t)
    const act = ["setup-code", "--for", keys[0]?.hex ?? "", "--expires", "600"]
    const text = await prepare(...act)
    const { stdout } = spawnSync("openssl", ["dgst", "-sha256", "-sign", files[0] ?? "", path("act.txt")])
    writeFileSync(path("signature.der"), stdout)
    const asked = ["holder", "sign", path("act.txt")]
    const bySignature = [...asked, "--signature", path("signature.der"), "--for"]
    t.match(await run([...bySignature, keys[1]?.hex ?? ""], "yes\n"), {
      status: 3,
      out: "",
      log: /does not verify/,
    })
    const one = await run([...bySignature, keys[0]?.hex ?? ""], "yes\n")
    t.equal(one.status, 0, one.log)
    writeFileSync(path("one.json"), one.out)
    const { createHash } = await import("node:crypto")
    const challenge = createHash("sha256").update(text).digest("base64url")
    const assertion = new Passkey({ rpId: "localhost" }).get(challenge, {
      flags: USER_PRESENT | USER_VERIFIED,
      signer: keys[1]!.privateKey,
    })
    const base64url = (bytes: Buffer) => bytes.toString("base64url")
    const response = {
      authenticatorData: base64url(assertion.authenticatorData),
      clientDataJSON: base64url(assertion.clientDataJson),
      signature: base64url(assertion.signature),
    }
    writeFileSync(path("answer.json"), JSON.stringify({ type: "public-key", response }))
    const two = await run(
      [...asked, "--assertion", path("answer.json"), "--for", keys[1]?.hex ?? ""],
      "yes\n",
    )
    t.equal(two.status, 0, two.log)
    writeFileSync(path("two.json"), two.out)
    const approvals = withFiles(path("one.json"), path("two.json"))
    t.match(await run([...act, ...approvals]), { status: 0 })
  },
)

t.test("setup codes are approved where the ceremony said so", async (t) => {
  const { prepare, sign, withFiles } = setup(t)
  const words = ["setup-code", "--for", keys[0]?.hex ?? "", "--expires", "600"]
  t.match(await run(words), { status: 3, log: /setup-code needs the approval of 2 of 3 holders/ })
  t.match(await prepare(...words), /Valid for: +600 seconds/)
  t.match(await run([...words, ...withFiles(await sign(1), await sign(2))]), {
    status: 0,
    out: /^[\w-]{50,}\n$/,
  })
})

t.test("words of approve and holder that do not fit are usage faults", async (t) => {
  for (const [words, log] of [
    [["approve"], /approve takes prepare and the name of an act: accept-clock, /],
    [["approve", "prepare", "nonsense"], /the name of an act/],
    [["approve", "prepare", "setup-code"], /needs --for/],
    [["approve", "prepare", "change-shares"], /needs --shares and --threshold/],
    [["approve", "prepare", "change-holders"], /the name of an act/],
    [["change-holders", "--by", "passphrase", "--holder", "a"], /--by belongs to change-daily, /],
    [["change-holders", "--approvals", "a", "--holder", "a"], /--approvals belongs to /],
    [["approve", "prepare", "accept-clock", "--within", "700000"], /--within/],
    [["holder", "sign"], /holder takes key or passkey and the file to make, or sign/],
    [["holder", "sign", "act.txt"], /needs one of --key/],
    [["holder", "sign", "act.txt", "--signature", "a"], /--for KEY goes with/],
    [["holder", "sign", "act.txt", "--key", "a", "--plain"], /--plain belongs to holder key/],
    [["holder", "key", "a", "--key", "b"], /belong to holder sign/],
    [["holder", "passkey", "a", "--passkey", "b"], /belong to holder sign/],
    [["holder", "passkey", "a", "--plain"], /--plain belongs to holder key/],
    [["holder", "sign", "act.txt", "--passkey", "a", "--for", "b"], /--for KEY goes with/],
    [["status", "--approvals", "a"], /--approvals belongs to accept-clock, accept-ledger, setup-code, /],
    [["change-daily", "--by", "luck"], /--by luck: write shares/],
  ] as const)
    t.match(await run(words), { status: 2, out: "", log }, words.join(" "))
})

// Last: after it the signer decides nothing for an hour.
t.test("W116: an operator has an act approved by holders, and each fault is named", async (t) => {
  const { path, prepare, sign, withFiles } = setup(t)
  const act = ["accept-ledger", "--restored"]
  t.match(await run(["status"]), {
    status: 0,
    out: new RegExp(`2 of 3 approve acts.*\n  1  ${keys[0]?.hex}`),
  })
  t.match(JSON.parse((await run(["status", "--json"])).out), { holders: { threshold: 2, generation: 1 } })
  t.match(await run(act), {
    status: 3,
    log: /accept-ledger needs the approval of 2 of 3 holders: .*approve prepare/,
  })
  t.match(
    await prepare(...act),
    /^countersign\/v1\/holder-act\nAct: +accept-ledger\nMeaning: .*given up for good/,
  )
  const [one, two] = [await sign(0), await sign(1)]
  t.match(await run([...act, ...withFiles(one)]), { status: 3, log: /1 of 3 holders approved/ })
  t.match(await run([...act, ...withFiles(one, one)]), { status: 3, log: /holder 1 approved twice/ })
  t.match(await run(["accept-ledger", ...withFiles(one, two)]), {
    status: 3,
    log: /nothing to accept|another act/,
  })
  writeFileSync(path("broken.json"), readFileSync(one, "utf8").replace("yes", "no"))
  t.match(await run([...act, ...withFiles(path("broken.json"), two)]), {
    status: 3,
    log: /approves another text than/,
  })
  writeFileSync(path("broken.json"), "{}")
  t.match(await run([...act, ...withFiles(path("broken.json"))]), {
    status: 3,
    log: /broken\.json is no approval: its text is missing/,
  })
  writeFileSync(path("broken.json"), "{")
  t.match(await run([...act, ...withFiles(path("broken.json"))]), {
    status: 3,
    log: /broken\.json is no approval: it is not strict JSON/,
  })
  t.match(await run([...act, ...withFiles(path("none.json"))]), {
    status: 1,
    log: /none\.json cannot be used/,
  })
  const done = await run([...act, ...withFiles(one, two)])
  t.match(done, { status: 0, out: /^The ledger is accepted\./ })
  t.notMatch(done.out, /one operator/)
})
