// An operator with settings, socket, commands and a daily way replaces the witnesses of a deployment in production, or tries to.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { Holder } from "../../../harness/holder-keys.ts"
import { newWitnessKey, witnessSettingsOf } from "../../../harness/witness-keys.ts"
import { PASSPHRASE, sealedSigner } from "../sealed-signer.ts"

const PRODUCTION = { COUNTERSIGN_PRODUCTION: "true" }

t.test("W130: a hostile operator's own witnesses end no wait of a signer that starts", async (t) => {
  const [one, two, hostile] = ["one.example", "two.example", "hostile.example"].map(newWitnessKey) as [
    ReturnType<typeof newWitnessKey>,
    ReturnType<typeof newWitnessKey>,
    ReturnType<typeof newWitnessKey>,
  ]
  const keys = [new Holder(), new Holder(), new Holder()]
  const approved = { ...PRODUCTION, ...witnessSettingsOf([one, two], 1) }
  const { run, signer, start } = await sealedSigner(t, approved, { holders: keys.map(({ hex }) => hex) })
  const unlock = () => run(["unlock", "--passphrase"], `${PASSPHRASE}\n`)
  t.match(await unlock(), { status: 0 })
  t.match(await run(["status"]), { status: 3, out: /^UNWITNESSED: .*missing: one\.example, two\.example/ })
  await signer.stop()

  const own = { ...PRODUCTION, ...witnessSettingsOf([hostile]) }
  const replaced = await start(own)
  t.match(await run(["status"]), { status: 3, out: /^WITNESSES_CHANGED: the settings name hostile\.example/ })
  t.match(await unlock(), { status: 5, log: /the sealed seed names other witnesses/ })
  const checked = await run(["doctor"], "", own)
  t.match(checked, { status: 1, out: /witnesses.*FAULT|FAULT.*witnesses/ })
  t.notMatch(checked.out, /warn +(?:production|holders):/, "marked, and with holders")
  const words = ["change-witnesses", "--by", "passphrase"]
  const change = (more: string[] = []) => run([...words, ...more], `${PASSPHRASE}\n`, own)
  t.match(await change(), { status: 3, log: /change-witnesses needs the approval of 2 of 3 holders/ })
  t.match(await run(["leave-production", "--by", "passphrase"], `${PASSPHRASE}\n`), {
    status: 3,
    log: /needs the approval/,
  })
  t.match(await run(["change-witnesses"], "\n", own), { status: 3, log: /nothing was changed/ })
  await replaced.stop()

  const next = { ...PRODUCTION, ...witnessSettingsOf([two, newWitnessKey("three.example")], 1) }
  const { out: text } = await run(["approve", "prepare", "change-witnesses"], "", next)
  t.match(text, /^Threshold: +1 of 2\nWitness 1: +two\.example\+[\s\S]*\nWitness 2: +three\.example\+/m)
  const folder = t.testdir()
  const approvals = keys.slice(0, 2).flatMap((holder, index) => {
    const [act, signature] = ["act", `signature-${index}`].map((name) => join(folder, name)) as [
      string,
      string,
    ]
    writeFileSync(act, text)
    const { evidence } = holder.approve(Buffer.from(text))
    writeFileSync(signature, evidence.value as Uint8Array)
    return [["holder", "sign", act, "--signature", signature, "--for", holder.hex]]
  })
  const files: string[] = []
  for (const [index, sign] of approvals.entries()) {
    const file = join(folder, `approval-${index}.json`)
    writeFileSync(file, (await run(sign, "yes\n")).out)
    files.push("--approvals", file)
  }
  t.match(await change(files), {
    status: 3,
    log: /the holders approved change-witnesses with the parameters/,
  })
  t.match(await run([...words, ...files], `${PASSPHRASE}\n`, next), { status: 0, out: /^1 of 2 witnesses/ })
  t.match(await run(["doctor"], "", next), { out: /are those that the sealed seed names/ })
  await start(next)
  t.match(await unlock(), { status: 0 })
  t.match(await run(["status"]), { status: 3, out: /^UNWITNESSED: .*missing: two\.example, three\.example/ })
})
