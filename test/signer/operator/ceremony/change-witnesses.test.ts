// The witnesses of a deployment in production: settings alone replace none.
import { readFileSync, writeFileSync } from "node:fs"
import t, { type Test } from "tap"
import { holdersValue, witnessesValue } from "../../../../signer/core/log/holder-leaves.ts"
import { LEAF_BYTES, readLeaf } from "../../../../signer/core/log/leaf.ts"
import { holdersDigest, holdersOf } from "../../../../signer/core/sealed-seed/holders.ts"
import { witnessesDigest } from "../../../../signer/core/sealed-seed/witnesses.ts"
import type { NoteSigner } from "../../../../signer/core/log/note-key.ts"
import type { BootedSigner } from "../../../../signer/enclave/booted-signer.ts"
import { boot } from "../../../../signer/enclave/boot.ts"
import { readConfig } from "../../../../signer/enclave/config.ts"
import { operatorHandlers, signerHandlers, unlockHandlers } from "../../../../signer/enclave/rpc/index.ts"
import { changeShares } from "../../../../signer/operator/ceremony/ceremony.ts"
import {
  changeDaily,
  changeWitnesses,
  leaveProduction,
} from "../../../../signer/operator/ceremony/change-file.ts"
import { TestClock } from "../../../harness/clock.ts"
import { newWitnessKey, witnessSettingsOf } from "../../../harness/witness-keys.ts"
import { CEREMONY } from "./holders.ts"
import { CHANGE, sealedDeployment } from "./sealed-deployment.ts"

const [one, two, three, hostile] = ["one", "two", "three", "hostile"].map(newWitnessKey) as [
  NoteSigner,
  NoteSigner,
  NoteSigner,
  NoteSigner,
]

/** A deployment in production that was sealed with witnesses one and two, both of which must cosign. */
async function setup(t: Test, { isProduction = true } = {}) {
  const settings = witnessSettingsOf([one, two])
  const sealed = await sealedDeployment(t, { isProduction, settings })
  const configOf = (own: NodeJS.Dict<string>) => ({
    ...readConfig({ COUNTERSIGN_DATA_DIR: sealed.directory, ...own }),
    isProduction,
  })
  const start = (own: NodeJS.Dict<string> = settings) => {
    const signer = boot(configOf(own), { clock: new TestClock(), terminate })
    t.teardown(() => signer.close())
    return signer
  }
  return { ...sealed, settings, configOf, start }
}

const terminate = (error: unknown): never => {
  throw error
}

t.test("W130: in production a signer serves with the witnesses of its sealed seed alone", async (t) => {
  const { start, unlock } = await setup(t)
  const replaced: [string, NodeJS.Dict<string>][] = [
    ["another witness", witnessSettingsOf([one, hostile])],
    ["one more", witnessSettingsOf([one, two, hostile], 2)],
    ["one less", witnessSettingsOf([one])],
    ["a lower threshold", witnessSettingsOf([one, two], 1)],
    ["none", {}],
  ]
  for (const [title, settings] of replaced) {
    const signer = start(settings)
    t.match(signer.phase(), { name: "halted", code: "WITNESSES_CHANGED" }, title)
    t.match(await operatorHandlers.getStatus({}, signer), { explanation: /approve prepare change-witnesses/ })
    await t.rejects(unlock(signer), { code: "WITNESSES_CHANGED" })
  }
  const same = start(witnessSettingsOf([two, one]))
  await unlock(same)
  t.equal(same.phase().name, "unwitnessed", "the order of the settings is no other list")
})

t.test("W130: witnesses are replaced by shares, or by a daily way with approvals of holders", async (t) => {
  const { configOf, start, present, approve, keys, settings } = await setup(t)
  const next = witnessSettingsOf([one, two, three], 2)
  const change = { ...CHANGE, by: "passphrase" as const }
  const act = { act: "change-witnesses" } as const
  await t.rejects(changeWitnesses(change, configOf(next), present()), { code: "APPROVALS_NEEDED" })
  const approvals = await approve(act, keys.slice(1), configOf(next))
  for (const other of [witnessSettingsOf([one, two, three]), witnessSettingsOf([one, two, hostile], 2)])
    await t.rejects(changeWitnesses({ ...change, approvals }, configOf(other), present()), {
      code: "APPROVAL_OTHER_ACT",
    })
  const tooFew = approvals.slice(1)
  await t.rejects(changeWitnesses({ ...change, approvals: tooFew }, configOf(next), present()), {
    code: "APPROVALS_TOO_FEW",
  })
  t.equal(start().phase().name, "sealed", "nothing was changed")
  const { lines } = await changeWitnesses({ ...change, approvals }, configOf(next), present())
  t.match(lines, [/^2 of 3 witnesses/, /^Witness 1: one\+/, /^Witness 2: two\+/, /^Witness 3: three\+/])
  t.match(start(settings).phase(), { name: "halted", code: "WITNESSES_CHANGED" })
  t.equal(start(next).phase().name, "sealed")
  await t.rejects(changeWitnesses({ ...change, approvals }, configOf(next), present()), {
    message: /already: nothing was changed/,
  })
  await changeWitnesses(CHANGE, configOf({}), present(1, 3))
  t.equal(start({}).phase().name, "sealed", "shares name even none")
})

t.test(
  "C-1775: whether answers wait for witnesses is a setting, with which no seal is compared",
  async (t) => {
    const { start, settings, unlock } = await setup(t)
    for (const own of [{ COUNTERSIGN_SIGNER_WITNESS_BEFORE_ANSWER: "true" }, {}]) {
      const signer = start({ ...settings, ...own })
      await unlock(signer)
      t.equal(signer.phase().name, "unwitnessed")
      await signer.close()
    }
  },
)

t.test("W130: whoever takes the witnesses out of the file damages it", async (t) => {
  const { config, start, sealed, unlock } = await setup(t)
  const { witnessesDigest: digest } = sealed().header
  const file = readFileSync(config.seedFile)
  const at = file.indexOf(digest)
  // Field 11 becomes field 15, which no release reads.
  t.equal(file[at - 2], 0x5a)
  writeFileSync(config.seedFile, file.with(at - 2, 0x7a))
  t.equal(sealed().header.witnessesDigest.length, 0)
  const signer = start(witnessSettingsOf([hostile]))
  await t.rejects(unlock(signer), { code: "SEALED_SEED_DAMAGED" })
  writeFileSync(config.seedFile, file.with(at, file[at]! ^ 1))
  t.match(start().phase(), { name: "halted", code: "WITNESSES_CHANGED" })
})

t.test("W130: a file that was changed while the signer ran is compared when it is unlocked", async (t) => {
  const { configOf, start, present, settings, unlock } = await setup(t)
  const signer = start()
  await unlock(signer)
  const next = witnessSettingsOf([three])
  await changeWitnesses(CHANGE, configOf(next), present(1, 2))
  await unlockHandlers.lock({}, signer)
  await unlock(signer)
  t.match(signer.phase(), { name: "halted", code: "WITNESSES_CHANGED" })
  await changeWitnesses(CHANGE, configOf(settings), present(1, 2))
  await unlockHandlers.lock({}, signer)
  await unlock(signer)
  t.equal(signer.phase().name, "unwitnessed")
})

t.test("W130: other changes of the file keep its witnesses, whatever the settings name", async (t) => {
  const { configOf, start, present, approve, keys, sealed } = await setup(t)
  const { witnessesDigest: kept } = sealed().header
  const bad = configOf(witnessSettingsOf([hostile]))
  await changeDaily({ ...CHANGE, by: "passphrase" }, bad, present())
  t.strictSame(sealed().header.witnessesDigest, kept)
  const text = { act: "change-shares", shares: 3, threshold: 2 } as const
  const approvals = await approve(text, keys.slice(1), bad)
  await changeShares({ ...CEREMONY, shares: 3, threshold: 2, approvals }, bad, present(1, 2))
  t.match(sealed().header, { generation: 2, witnessesDigest: kept })
  t.match(start(witnessSettingsOf([hostile])).phase(), { code: "WITNESSES_CHANGED" })
})

t.test("W130: the log names the witnesses after each start", async (t) => {
  const { configOf, start, settings, sealed, unlock } = await setup(t)
  const signer = start()
  await unlock(signer)
  const named = [
    holdersValue(holdersDigest(holdersOf(sealed().header)!)),
    witnessesValue(witnessesDigest(configOf(settings).witnesses)),
  ]
  t.strictSame(await operatorLeaves(signer), named.map(hex))
})

async function operatorLeaves(signer: BootedSigner): Promise<string[]> {
  await signer.signLog()
  const { leaves } = await signerHandlers.readLog({ first: 0n, count: 4096 } as never, signer)
  const all = Array.from({ length: leaves.length / LEAF_BYTES }, (_, at) =>
    readLeaf(leaves.subarray(at * LEAF_BYTES, (at + 1) * LEAF_BYTES)),
  )
  return all.flatMap((leaf) => (leaf?.kind === "operator" ? [hex(leaf.value)] : []))
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")

t.test("C-1770: witnesses are bound where a ceremony in production finds some, and by an act", async (t) => {
  const { start, sealed } = await setup(t, { isProduction: false })
  t.equal(sealed().header.witnessesDigest.length, 0)
  t.equal(start(witnessSettingsOf([hostile])).phase().name, "sealed", "for development settings decide")
  const none = await sealedDeployment(t, { isProduction: true })
  t.equal(none.sealed().header.witnessesDigest.length, 0, "the fetcher's key may come of this ceremony")
  const config = {
    ...none.config,
    isProduction: true,
    witnesses: { keys: [], threshold: 0, beforeAnswer: false },
  }
  await changeWitnesses(CHANGE, config, none.present(1, 2))
  t.equal(none.sealed().header.witnessesDigest.length, 32)
})

t.test("W130: a deployment that left production changes its witnesses by settings", async (t) => {
  const { config, start, present, sealed } = await setup(t)
  await leaveProduction(CHANGE, config, present(1, 2))
  t.equal(sealed().header.witnessesDigest.length, 32)
  t.equal(start(witnessSettingsOf([hostile])).phase().name, "sealed")
})

t.test("a witness whose name a text cannot show is refused before holders are asked", async (t) => {
  const { configOf, present, approve, keys } = await setup(t)
  const config = configOf(witnessSettingsOf([newWitnessKey("zeugin-ü")]))
  const fault = { message: /zeugin-ü has a name beyond ASCII/ }
  await t.rejects(approve({ act: "change-witnesses" }, keys, config), fault)
  const change = { ...CHANGE, by: "passphrase" as const }
  await t.rejects(changeWitnesses(change, config, present()), fault)
})
