// Acts of a running signer whose sealed seed names holders.
import { join } from "node:path"
import { create, type MessageInitShape } from "@bufbuild/protobuf"
import t, { type Test } from "tap"
import {
  AcceptLedgerRequestSchema,
  type PrepareActRequestSchema,
} from "../../../proto/gen/countersign/signer/v1/operator_pb.ts"
import { Phase } from "../../../proto/gen/countersign/signer/v1/phase_pb.ts"
import { SeedOwner } from "../../../proto/gen/countersign/state/v1/sealed_seed_pb.ts"
import { withHeader } from "../../../signer/core/sealed-seed/change.ts"
import { holderActValue, holdersValue } from "../../../signer/core/log/holder-leaves.ts"
import { LEAF_BYTES, readLeaf } from "../../../signer/core/log/leaf.ts"
import { holdersDigest, holdersOf } from "../../../signer/core/sealed-seed/holders.ts"
import { keyByShares } from "../../../signer/core/sealed-seed/open.ts"
import { type SealOptions, sealSeed } from "../../../signer/core/sealed-seed/seal.ts"
import { readShare } from "../../../signer/core/sealed-seed/share.ts"
import { operatorHandlers, signerHandlers, unlockHandlers } from "../../../signer/enclave/rpc/index.ts"
import { storeSealedSeed } from "../../../signer/core/seal-commands/store-sealed.ts"
import { readRootSeed, readSealedFile } from "../../../signer/process/root-seed.ts"
import { DEPLOYMENT } from "../../../signer/enclave/ledger/ledger.ts"
import { ApiClient } from "../../harness/api-client.ts"
import { InProcessBoundary } from "../../harness/boundary.ts"
import type { Holder } from "../../harness/holder-keys.ts"
import { holders as newHolders } from "../../harness/holder-keys.ts"
import { newKey } from "../../harness/stamper.ts"
import { bytesOf, random } from "../core/sealed-seed/sets.ts"

/** A deployment with an organization, whose seed was then sealed for 3 holders, and unlocked. */
async function setup(t: Test, options: Partial<SealOptions> = {}) {
  const boundary = new InProcessBoundary()
  t.teardown(() => boundary.close())
  const client = new ApiClient(boundary)
  await client.createOrganization()
  const { deploymentId } = boundary.signer.state().keyring.pins
  const file = join(boundary.directory, "signer", "root-seed")
  const seed = readRootSeed(file)
  const keys = newHolders(3)
  const holderPublicKeys = keys.map(({ publicKey }) => publicKey)
  const terms = { owner: SeedOwner.SIGNER, deploymentId, generation: 1, shares: 3, threshold: 2 }
  const set = await sealSeed(seed, { ...terms, holderPublicKeys, ...options }, {}, random)
  const shares = set.shares.map(bytesOf)
  const unlock = async () => {
    for (const share of shares.slice(0, 2)) {
      const evidence = { case: "share", value: Uint8Array.from(share) }
      await unlockHandlers.unlock({ evidence } as never, boundary.signer)
    }
  }
  await boundary.restart(() => storeSealedSeed(file, set.sealed))
  await unlock()
  const prepare = async (act: MessageInitShape<typeof PrepareActRequestSchema>["act"]) =>
    (await operatorHandlers.prepareAct({ act, expirationSeconds: 0 } as never, boundary.signer)).text
  const approvedBy = (text: Uint8Array, signers: readonly Holder[] = keys.slice(1)) => ({
    text,
    approvals: signers.map((holder) => holder.approve(text)),
  })
  const accept = (approved?: ReturnType<typeof approvedBy>, restored = true) =>
    operatorHandlers.acceptLedger(
      create(AcceptLedgerRequestSchema, { restored, ...(approved && { approved }) }),
      boundary.signer,
    )
  const epoch = () => boundary.signer.state().keyring.pins.ledgerEpoch
  const lock = () => unlockHandlers.lock({}, boundary.signer)
  const status = () => operatorHandlers.getStatus({}, boundary.signer)
  return {
    boundary,
    client,
    file,
    set,
    shares,
    keys,
    prepare,
    approvedBy,
    accept,
    epoch,
    unlock,
    lock,
    status,
  }
}

const RESTORED = { case: "acceptLedger", value: { restored: true } } as const

/** Leaves of operators, in hexadecimal. */
async function operatorLeaves({ signer }: InProcessBoundary): Promise<string[]> {
  await signer.signLog()
  const { leaves } = await signerHandlers.readLog({ first: 0n, count: 4096 } as never, signer)
  const all = Array.from({ length: leaves.length / LEAF_BYTES }, (_, at) =>
    readLeaf(leaves.subarray(at * LEAF_BYTES, (at + 1) * LEAF_BYTES)),
  )
  return all.flatMap((leaf) => (leaf?.kind === "operator" ? [hex(leaf.value)] : []))
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")

t.test("W116: a ledger is given up by a threshold of holders, and by nobody alone", async (t) => {
  const { boundary, prepare, approvedBy, accept, keys } = await setup(t)
  const before = boundary.signer.state().ledger.term(DEPLOYMENT)
  await t.rejects(accept(), { code: "APPROVALS_NEEDED", message: /2 of 3 holders/ })
  const text = await prepare(RESTORED)
  t.match(Buffer.from(text).toString(), /^Restored: +yes\nFound: +nothing newer was shown yet\n/m)
  await t.rejects(accept(approvedBy(text, keys.slice(0, 1))), { code: "APPROVALS_TOO_FEW" })
  await t.rejects(accept(approvedBy(text, newHolders(2))), { code: "APPROVAL_FOREIGN" })
  t.strictSame(boundary.signer.state().ledger.term(DEPLOYMENT), before, "nothing was changed")
  await accept(approvedBy(text))
  await boundary.pass(66 * 60_000)
  await t.rejects(accept(approvedBy(text)), { code: "APPROVAL_USED" })
})

t.test("W116: a text does not survive a lock or a restart", async (t) => {
  const { boundary, prepare, approvedBy, accept, lock, unlock } = await setup(t)
  const texts = [await prepare(RESTORED)]
  await lock()
  await t.rejects(prepare(RESTORED), { code: "SIGNER_SEALED" })
  await unlock()
  await t.rejects(accept(approvedBy(texts[0]!)), { code: "APPROVAL_UNKNOWN" })
  texts.push(await prepare(RESTORED))
  await boundary.restart()
  await unlock()
  for (const text of texts) await t.rejects(accept(approvedBy(text)), { code: "APPROVAL_UNKNOWN" })
})

t.test("W116: a clock in doubt is accepted by holders alone", async (t) => {
  const { boundary, prepare, approvedBy, unlock, status } = await setup(t)
  boundary.clock.setWall(Date.UTC(2025, 0, 1))
  await boundary.restart()
  await unlock()
  t.match(await status(), { phase: Phase.CLOCK_UNTRUSTED })
  const accept = (approved?: object) => operatorHandlers.acceptClock({ approved } as never, boundary.signer)
  await t.rejects(accept(), { code: "APPROVALS_NEEDED" })
  const text = await prepare({ case: "acceptClock", value: {} })
  boundary.clock.setWall(Date.UTC(2024, 0, 1))
  await t.rejects(accept(approvedBy(text)), { code: "APPROVAL_OTHER_ACT", message: /clock was set since/ })
  boundary.clock.setWall(Date.UTC(2025, 0, 1))
  await accept(approvedBy(text))
  t.match((await status()).explanation, /nothing is decided until/)
})

t.test("C-1742: setup codes need approvals where the sealed seed says so", async (t) => {
  const key = newKey().publicKeyHex
  const value = { publicKey: key, expirationSeconds: 60 }
  const free = await setup(t)
  t.ok(await free.boundary.createSetupCode(key))
  await t.rejects(free.prepare({ case: "setupCode", value }), { code: "HOLDERS_ABSENT" })
  const { boundary, prepare, approvedBy } = await setup(t, { setupCodesNeedApproval: true })
  await t.rejects(boundary.createSetupCode(key), { code: "APPROVALS_NEEDED" })
  const text = await prepare({ case: "setupCode", value })
  t.match(Buffer.from(text).toString(), new RegExp(`^Key: +${key}\nValid for: +60 seconds$`, "m"))
  const approved = approvedBy(text)
  const create = (other: object) =>
    operatorHandlers.createSetupCode({ ...value, ...other, approved } as never, boundary.signer)
  await t.rejects(create({ expirationSeconds: 61 }), { code: "APPROVAL_OTHER_ACT" })
  await t.rejects(create({ publicKey: newKey().publicKeyHex }), { code: "APPROVAL_OTHER_ACT" })
  t.ok((await create({})).setupCode)
})

t.test("W117: holders are named in the log after each start, and an approved act by its text", async (t) => {
  const { boundary, set, prepare, approvedBy, accept, lock, unlock, status } = await setup(t)
  const digest = holdersDigest(holdersOf(set.sealed.header)!)
  t.match(await status(), { isSealedSeed: true, holders: { generation: 1, threshold: 2, digest } })
  const named = hex(holdersValue(digest))
  const count = async () => (await operatorLeaves(boundary)).filter((leaf) => leaf === named).length
  t.equal(await count(), 1)
  await lock()
  await unlock()
  t.equal(await count(), 2)
  const text = await prepare(RESTORED)
  await accept(approvedBy(text))
  t.strictSame(
    await operatorLeaves(boundary),
    [named, hex(holderActValue(text))],
    "also in the new era's log",
  )
})

t.test("W117: holders survive the loss of the ledger: the sealed seed alone names them", async (t) => {
  const { file, set } = await setup(t)
  const keysIn = ({ header }: typeof set.sealed) => holdersOf(header)?.publicKeys.map(hex)
  t.equal(keysIn(set.sealed)?.length, 3)
  t.strictSame(keysIn(readSealedFile(file)!), keysIn(set.sealed))
})

t.test(
  "W118: holders who are replaced in the file stop every act until the signer reads it again",
  async (t) => {
    const { file, set, shares, prepare, approvedBy, accept, lock, unlock, keys } = await setup(t)
    const points = shares.slice(0, 2).map((share) => readShare(share).point)
    const key = await keyByShares(set.sealed, points)
    const later = newHolders(3)
    const holderPublicKeys = later.map(({ publicKey }) => publicKey)
    const text = await prepare(RESTORED)
    storeSealedSeed(file, withHeader(set.sealed, key, { holderPublicKeys }, random))
    await t.rejects(accept(approvedBy(text)), { code: "HOLDERS_CHANGED" })
    await t.rejects(prepare(RESTORED), { code: "HOLDERS_CHANGED" })
    await lock()
    await unlock()
    await t.rejects(accept(approvedBy(text, keys)), { code: "APPROVAL_FOREIGN" })
    const next = await prepare(RESTORED)
    await t.rejects(accept(approvedBy(next, keys.slice(0, 2))), { code: "APPROVAL_FOREIGN" })
    await accept(approvedBy(next, later.slice(0, 2)))
  },
)

t.test("a plain seed has no holders, and an act is one operator's", async (t) => {
  const boundary = new InProcessBoundary()
  t.teardown(() => boundary.close())
  await new ApiClient(boundary).createOrganization()
  const request = { act: RESTORED, expirationSeconds: 0 }
  await t.rejects(operatorHandlers.prepareAct(request as never, boundary.signer), { code: "HOLDERS_ABSENT" })
  const none = { act: { case: undefined }, expirationSeconds: 0 }
  await t.rejects(operatorHandlers.prepareAct(none as never, boundary.signer), { code: "REQUEST_INVALID" })
  await operatorHandlers.acceptLedger({ restored: true } as never, boundary.signer)
  t.match(await operatorHandlers.getStatus({}, boundary.signer), { isSealedSeed: false })
})
