// A signer whose root seed is sealed: what it serves while it is locked, and what opens it.
import { cpSync, rmSync, truncateSync } from "node:fs"
import { join } from "node:path"
import t, { type Test } from "tap"
import { Phase } from "../../../proto/gen/countersign/signer/v1/phase_pb.ts"
import { RefusalCode } from "../../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import type { UnlockRequest } from "../../../proto/gen/countersign/signer/v1/unlock_pb.ts"
import { SeedOwner } from "../../../proto/gen/countersign/state/v1/sealed_seed_pb.ts"
import { Secret } from "../../../signer/core/crypto/secret.ts"
import { SHARES_KEPT_MS } from "../../../signer/core/sealed-seed/given-shares.ts"
import { readPassphrase } from "../../../signer/core/sealed-seed/passphrase.ts"
import { type DailySlots, sealSeed } from "../../../signer/core/sealed-seed/seal.ts"
import { operatorHandlers, signerHandlers, unlockHandlers } from "../../../signer/enclave/rpc/index.ts"
import { storeSealedSeed } from "../../../signer/core/seal-commands/store-sealed.ts"
import { readRootSeed } from "../../../signer/process/root-seed.ts"
import { ApiClient, signParams } from "../../harness/api-client.ts"
import { InProcessBoundary } from "../../harness/boundary.ts"
import { stampWith } from "../../harness/stamper.ts"
import { bytesOf, random } from "../core/sealed-seed/sets.ts"

const SIGN = "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2"
const PASSPHRASE = "seventeen syllables of nonsense"

/** A deployment with an organization and a wallet, then sealed and started again. */
async function setup(t: Test, daily: DailySlots = {}) {
  const boundary = new InProcessBoundary()
  t.teardown(() => boundary.close())
  const client = new ApiClient(boundary)
  const acme = await client.createOrganization()
  const { address } = await client.wallet(acme)
  const { deploymentId } = boundary.signer.state().keyring.pins
  const file = join(boundary.directory, "signer", "root-seed")
  const seed = readRootSeed(file)
  const options = { owner: SeedOwner.SIGNER, deploymentId, generation: 1, shares: 5, threshold: 3 }
  const { sealed, shares } = await sealSeed(seed, options, daily, random)
  await boundary.restart(() => storeSealedSeed(file, sealed))
  const sign = () => {
    const body = client.body(SIGN, acme.organizationId, signParams(address))
    const document = client.documents.get(acme.organizationId)!
    return client.order(body, stampWith(acme.root, body), { document, records: [...client.records.values()] })
  }
  const unlock = (evidence: UnlockRequest["evidence"]) =>
    unlockHandlers.unlock({ evidence } as never, boundary.signer)
  const give = (index: number) => unlock({ case: "share", value: bytesOf(shares[index]!) })
  const status = () => operatorHandlers.getStatus({}, boundary.signer)
  const lock = () => unlockHandlers.lock({}, boundary.signer)
  return { boundary, client, acme, deploymentId, sign, unlock, give, status, lock, shares }
}

t.test(
  "W60: a sealed signer serves its status alone, and after the threshold of shares everything",
  async (t) => {
    const { boundary, acme, deploymentId, sign, give, status } = await setup(t)
    const code = "SIGNER_SEALED"
    t.match(await sign(), { is: "refused", code })
    await t.rejects(boundary.createSetupCode(acme.root.publicKeyHex), { code })
    await t.rejects(boundary.recover(acme.organizationId), { code })
    await t.rejects(signerHandlers.getPins({}, boundary.signer), { code })
    t.throws(() => boundary.signer.state(), /has no state and no keys/)
    t.match(await status(), {
      phase: Phase.SEALED,
      explanation: /unlock.*: generation 1, 3 of 5 shares open it$/,
    })
    t.notOk("pins" in (await status()), "nothing of the seed is known")
    t.match(await give(4), { unlocked: false, given: [5], threshold: 3 })
    t.match(await give(0), { unlocked: false, given: [1, 5] })
    t.match(await status(), { phase: Phase.SEALED, explanation: /given so far: 1, 5$/ })
    t.match(await sign(), { is: "refused", code })
    t.match(await give(2), { unlocked: true, given: [] })
    t.match(await status(), { phase: Phase.READY, pins: { deploymentId } })
    t.match(await sign(), { is: "outcome" }, "same seed, same keys")
    await t.rejects(give(3), { code: "PHASE_WRONG" })
  },
)

t.test("W60: wrong evidence opens nothing and changes nothing", async (t) => {
  const { sign, unlock, give, status } = await setup(t)
  await give(0)
  const wrong = [
    [{ case: "share", value: random(55) }, "SHARE_MISTYPED"],
    [{ case: "share", value: new Uint8Array() }, "SHARE_MISTYPED"],
    [{ case: "passphrase", value: Buffer.from(PASSPHRASE) }, "SEED_SLOT_MISSING"],
    [{ case: "key", value: random(32) }, "SEED_SLOT_MISSING"],
    [{ case: "key", value: random(31) }, "UNSEAL_KEY_WRONG"],
    [{ case: "passphrase", value: new Uint8Array(1025) }, "PASSPHRASE_WRONG"],
    [{ case: undefined }, "REQUEST_INVALID"],
  ] as const
  for (const [evidence, code] of wrong) {
    await t.rejects(unlock(evidence as never), { code })
    t.match(await status(), { phase: Phase.SEALED, explanation: /given so far: 1$/ }, code)
  }
  await t.rejects(give(0), { code: "SHARE_REPEATED" })
  t.match(await sign(), { is: "refused", code: "SIGNER_SEALED" })
})

t.test("W60: the bytes of evidence are wiped in the message they came in", async (t) => {
  const { unlock, shares } = await setup(t)
  const value = bytesOf(shares[0]!)
  await unlock({ case: "share", value })
  t.ok(value.every((byte) => byte === 0))
})

t.test("a passphrase or a command's key opens it every day, and shares still do", async (t) => {
  const key = random(32)
  const { sign, unlock, give, lock, status, boundary } = await setup(t, {
    passphrase: readPassphrase(PASSPHRASE),
    command: { key: Secret.copyOf(key), blob: random(80) },
  })
  t.match(await unlockHandlers.readSeal({}, boundary.signer), {
    generation: 1,
    shares: 5,
    threshold: 3,
    daily: ["passphrase", "command"],
    given: [],
  })
  await t.rejects(unlock({ case: "passphrase", value: Buffer.from(`${PASSPHRASE}!`) }), {
    code: "PASSPHRASE_WRONG",
  })
  await t.rejects(unlock({ case: "key", value: random(32) }), { code: "UNSEAL_KEY_WRONG" })
  t.match(await status(), { phase: Phase.SEALED })
  t.match(await unlock({ case: "passphrase", value: Buffer.from(PASSPHRASE) }), { unlocked: true })
  t.match(await sign(), { is: "outcome" })
  await lock()
  t.match(await unlock({ case: "key", value: Uint8Array.from(key) }), { unlocked: true })
  t.match(await sign(), { is: "outcome" })
  await lock()
  for (const index of [0, 1]) await give(index)
  t.match(await give(2), { unlocked: true })
  t.match(await sign(), { is: "outcome" })
})

t.test("W61: lock finishes orders under way, wipes what it can, and refuses later ones", async (t) => {
  const { boundary, sign, give, lock, status } = await setup(t)
  for (const index of [0, 1, 2]) await give(index)
  const { keyring } = boundary.signer.state()
  const under = sign()
  await lock()
  t.match((await under).is, /outcome|refused/)
  for (const secret of [keyring.ledger, keyring.mailedKeys, keyring.records.seal])
    t.equal(secret.length, 0, "wiped")
  t.match(await sign(), { is: "refused", code: "SIGNER_SEALED" })
  t.match(await status(), { phase: Phase.SEALED })
  await lock()
  t.match(await status(), { phase: Phase.SEALED }, "a second lock changes nothing")
  for (const index of [2, 3, 4]) await give(index)
  t.match(await sign(), { is: "outcome" })
})

t.test("W61: shares that wait are forgotten at a lock, after their time and at a restart", async (t) => {
  const { boundary, give, lock, status } = await setup(t)
  const waiting = async () => (await status()).explanation
  await give(0)
  t.match(await waiting(), /given so far: 1$/)
  await lock()
  t.match(await waiting(), /open it$/)
  await give(0)
  boundary.clock.pass(SHARES_KEPT_MS)
  await boundary.signer.purge()
  t.match(await waiting(), /open it$/)
  await give(1)
  await boundary.restart()
  t.match(await waiting(), /open it$/)
})

t.test(
  "W60: shares of a seed whose ledger is another's halt the signer, and it can be locked again",
  async (t) => {
    const [one, other] = [await setup(t), await setup(t)]
    await one.boundary.signer.close()
    await other.boundary.restart(() => {
      const ledger = (directory: string) => join(directory, "signer", "ledger")
      rmSync(ledger(other.boundary.directory), { recursive: true })
      cpSync(ledger(one.boundary.directory), ledger(other.boundary.directory), { recursive: true })
    })
    for (const index of [0, 1, 2]) await other.give(index)
    t.match(await other.status(), { phase: Phase.HALTED, haltedBy: RefusalCode.LEDGER_FOREIGN })
    t.match(await other.sign(), { is: "refused", code: "LEDGER_FOREIGN" })
    await other.lock()
    t.match(await other.status(), { phase: Phase.SEALED })
  },
)

t.test("a damaged sealed file halts the signer with its own code", async (t) => {
  const { boundary, status } = await setup(t)
  const file = join(boundary.directory, "signer", "root-seed")
  await boundary.restart(() => truncateSync(file, 100))
  t.match(await status(), {
    phase: Phase.HALTED,
    haltedBy: RefusalCode.SEALED_SEED_DAMAGED,
    explanation: /Restore its file/,
  })
})

t.test("a signer that stops takes no share any more", async (t) => {
  const { boundary, give } = await setup(t)
  boundary.signer.stop()
  await t.rejects(give(0), { code: "SIGNER_STOPPING" })
})
