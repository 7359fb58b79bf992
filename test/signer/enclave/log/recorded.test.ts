// What the signer does becomes leaves of its log, which the API tier reads and cannot alter.
import { appendFileSync, cpSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fromBinary } from "@bufbuild/protobuf"
import t, { type Test } from "tap"
import { HeadStatementSchema } from "../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { LogKeyStatementSchema } from "../../../../proto/gen/countersign/state/v1/log_pb.ts"
import { CompactRange } from "../../../../signer/core/log/compact-range.ts"
import { isSignedTagged, readPublicKeySet } from "../../../../signer/core/crypto/keyset.ts"
import { openCheckpoint } from "../../../../signer/core/log/checkpoint.ts"
import {
  commitmentOf,
  type DecisionStatement,
  LEAF_BYTES,
  readDecision,
  readLeaf,
  writeDecision,
} from "../../../../signer/core/log/leaf.ts"
import { readLogReceipt, writeLogReceipt } from "../../../../signer/core/log/receipt.ts"
import { leafHash } from "../../../../signer/core/log/merkle.ts"
import { ED25519, noteKey } from "../../../../signer/core/log/note-key.ts"
import { LOG_KEY_TAG } from "../../../../signer/core/wire.ts"
import { KeptReceipts } from "../../../../signer/enclave/log/kept-receipts.ts"
import { operatorHandlers, signerHandlers } from "../../../../signer/enclave/rpc/index.ts"
import { ApiClient, ethereumAccount, signParams, valueOf } from "../../../harness/api-client.ts"
import { InProcessBoundary } from "../../../harness/boundary.ts"
import { newKey, stampBy } from "../../../harness/stamper.ts"

async function fixture(t: Test) {
  const boundary = new InProcessBoundary()
  t.teardown(() => boundary.close())
  const client = new ApiClient(boundary)
  const tenant = await client.createOrganization()
  const { organizationId, root } = tenant
  const wallet = valueOf(
    await client.submit(root, "ACTIVITY_TYPE_CREATE_WALLET", organizationId, {
      walletName: "Logged",
      accounts: [ethereumAccount(0)],
    }),
    "createWalletResult",
  )
  const sign = () =>
    client.submit(root, "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", organizationId, signParams(wallet.addresses[0]!))
  return { boundary, client, tenant, sign }
}

const call = {
  readLog: (boundary: InProcessBoundary, first = 0, count = 4096) =>
    signerHandlers.readLog({ first: BigInt(first), count } as never, boundary.signer),
  tile: (boundary: InProcessBoundary, level: number, index: number, width: number) =>
    signerHandlers.readLogTile({ level, index: BigInt(index), width } as never, boundary.signer),
  show: (boundary: InProcessBoundary, checkpoint: Uint8Array) =>
    signerHandlers.showCheckpoint({ checkpoint, cosignatures: [], reports: [] } as never, boundary.signer),
}

/** All leaves that a checkpoint covers, verified as an auditor does: from the pins. */
async function verified(boundary: InProcessBoundary) {
  await boundary.signer.signLog()
  const { checkpoint, keyStatement, keySignature, leaves: bytes } = await call.readLog(boundary)
  const { pins } = boundary.signer.state().keyring
  const notarizer = readPublicKeySet(pins.notarizerPublicKey)!
  if (!isSignedTagged(notarizer.sign, LOG_KEY_TAG, keyStatement, keySignature)) throw new Error("forged key")
  const { deploymentId, publicKey } = fromBinary(LogKeyStatementSchema, keyStatement)
  const origin = Buffer.from(checkpoint).toString().split("\n")[0]!
  if (deploymentId !== pins.deploymentId || !origin.startsWith(`countersign/${deploymentId}/`))
    throw new Error("another deployment")
  const head = openCheckpoint(checkpoint, noteKey(origin, ED25519, publicKey))!.checkpoint
  const leaves = Array.from({ length: bytes.length / LEAF_BYTES }, (_, at) =>
    bytes.subarray(at * LEAF_BYTES, (at + 1) * LEAF_BYTES),
  )
  const hashes = leaves.map(leafHash)
  const { hashes: tile } = await call.tile(boundary, 0, 0, leaves.length)
  if (Buffer.compare(tile, Buffer.concat(hashes)) !== 0) throw new Error("the tile has other hashes")
  const range = new CompactRange()
  for (const hash of hashes) range.append(hash)
  if (Buffer.compare(range.root(), head.root) !== 0) throw new Error("the head is another")
  return { head, leaves: leaves.map((leaf) => readLeaf(leaf)!), size: leaves.length }
}

const hex = (bytes: Uint8Array = new Uint8Array(0)) => Buffer.from(bytes).toString("hex")

/** A decision as its receipt opens it. */
function opened(receipt: Uint8Array, decision: Omit<DecisionStatement, "counter" | "startIndex">) {
  const { counter, startIndex, index, salt } = readLogReceipt(receipt)!
  return { index, salt, statement: { ...decision, counter, startIndex } }
}

const count = (kinds: readonly string[], kind: string) => kinds.filter((one) => one === kind).length

t.test("each transaction, each decision and each act of the operator is a leaf", async (t) => {
  const { boundary, client, tenant, sign } = await fixture(t)
  for (let at = 0; at < 3; at++) await sign()
  const before = (await verified(boundary)).leaves.map(({ kind }) => kind)
  t.equal(before[0], "start")
  t.equal(count(before, "operator"), 1, "the setup code")
  t.equal(count(before, "decision"), 5, "the organization, the wallet and three signatures")
  t.ok(count(before, "transaction") >= 2)
  const stranger = newKey()
  const { organizationId, root } = tenant
  await client.submit(root, "ACTIVITY_TYPE_CREATE_USERS_V3", organizationId, {
    users: [
      {
        userName: "stranger",
        apiKeys: [{ apiKeyName: "k", publicKey: stranger.publicKeyHex, curveType: "API_KEY_CURVE_P256" }],
        authenticators: [],
        oauthProviders: [],
        userTags: [],
      },
    ],
  })
  const body = client.body("ACTIVITY_TYPE_CREATE_WALLET", organizationId, { walletName: "No", accounts: [] })
  t.match(await client.send(body, stranger), { is: "refused", code: "PERMISSION_DENIED" })
  t.match(await client.send("{}", stranger), { is: "refused" }, "what is no request ends nothing")
  const after = (await verified(boundary)).leaves.map(({ kind }) => kind)
  t.equal(count(after, "decision"), 7, "the user and the denial")
  await boundary.restart()
  const { leaves, head, size } = await verified(boundary)
  t.strictSame(
    leaves.slice(-2).map(({ kind }) => kind),
    ["stop", "start"],
  )
  t.equal(head.size, size)
  for (const [at, leaf] of leaves.entries()) t.ok(at === 0 || leaf.sequence >= leaves[at - 1]!.sequence)
})

t.test("W80: a leaf opens with its receipt and no other, and tells no name", async (t) => {
  const { boundary, tenant } = await fixture(t)
  const { log } = boundary.signer.state()
  const decision = {
    organizationId: tenant.organizationId,
    activityId: tenant.rootUserId,
    fingerprint: "cd".repeat(32),
    status: 2,
    decidedAtMs: boundary.nowMs(),
  }
  const [one, other] = [opened(log.decide(decision), decision), opened(log.decide(decision), decision)]
  const { leaves } = await verified(boundary)
  t.strictSame(
    leaves[one.index]?.value,
    Uint8Array.from(commitmentOf(one.salt, writeDecision(one.statement))),
  )
  t.not(
    hex(leaves[one.index]?.value),
    hex(leaves[other.index]?.value),
    "the same decision twice looks different",
  )
  t.not(hex(commitmentOf(other.salt, writeDecision(one.statement))), hex(leaves[one.index]?.value))
  t.match(one.statement, { ...decision, counter: 3, startIndex: 0 })
  t.strictSame(readDecision(writeDecision(one.statement)), one.statement)
  t.match(other.statement, { counter: 4 })
  t.equal(readDecision(writeDecision(one.statement).subarray(1)), undefined)
  const { leaves: bytes } = await call.readLog(boundary)
  for (const name of [tenant.organizationId, tenant.rootUserId, tenant.root.publicKeyHex]) {
    t.notOk(bytes.includes(name))
    t.notOk(bytes.includes(Buffer.from(name.replaceAll("-", ""), "hex")))
  }
})

t.test(
  "C-1733: an outcome that is delivered again has its first receipt, also after a start and a crash of the process",
  async (t) => {
    const { boundary, client, tenant } = await fixture(t)
    const { organizationId, root } = tenant
    const body = client.body("ACTIVITY_TYPE_CREATE_WALLET", organizationId, {
      walletName: "Again",
      accounts: [],
    })
    const receiptOf = async () => {
      const answer = await client.offer(body, stampBy(root, body))
      return answer.is === "outcome" ? hex(answer.outcome.decision?.logReceipt) : answer.is
    }
    const recovered = async () => {
      const { outcomes } = await boundary.recover(organizationId, "")
      return hex(outcomes.at(-1)?.outcome?.decision?.logReceipt)
    }
    const first = await receiptOf()
    t.match(readLogReceipt(Buffer.from(first, "hex")), {
      counter: 3,
      startIndex: 0,
      lane: 1,
      era: 0,
      status: 3,
    })
    t.equal(await receiptOf(), first)
    t.equal(await recovered(), first)
    const { head } = await verified(boundary)
    await receiptOf()
    t.equal((await verified(boundary)).head.size, head.size, "no second leaf")
    await boundary.restart()
    t.equal(await receiptOf(), first)
    t.equal(await recovered(), first)
  },
)

t.test("W80: the head statement counts an organization's decisions since the start", async (t) => {
  const { boundary, tenant, sign } = await fixture(t)
  const { organizationId } = tenant
  const nonce = Buffer.alloc(16, 1)
  const ask = async () => {
    const reply = await signerHandlers.getOrganizationHead(
      { organizationId, nonce } as never,
      boundary.signer,
    )
    return fromBinary(HeadStatementSchema, reply.statement)
  }
  const before = await ask()
  await sign()
  await sign()
  const after = await ask()
  t.equal(after.decisions - before.decisions, 2n)
  t.equal(after.logOrigin, boundary.signer.state().log.signed.origin)
  await boundary.restart()
  const restarted = await ask()
  t.equal(restarted.decisions, after.decisions, "it stopped in good order")
  t.equal(restarted.logStart, after.logStart)
})

t.test("parts of the log that no checkpoint covers are not read", async (t) => {
  const { boundary } = await fixture(t)
  const { size } = await verified(boundary)
  boundary.signer.state().log.act("later")
  t.equal((await call.readLog(boundary, size)).leaves.length, 0)
  t.equal((await call.readLog(boundary, 2 ** 40)).leaves.length, 0)
  t.equal((await call.readLog(boundary, 0, 0)).leaves.length, 0)
  await t.rejects(call.readLog(boundary, 0, 4097), { code: "REQUEST_INVALID", field: "count" })
  for (const [level, index, width] of [
    [0, 0, size + 1],
    [0, 1, 1],
    [1, 0, 1],
    [8, 0, 1],
    [0, 0, 0],
    [0, 0, 257],
  ] as const)
    await t.rejects(call.tile(boundary, level, index, width), { code: "REQUEST_INVALID", field: "index" })
})

t.test(
  "W75: a signer over an older copy decides nothing once it is shown a head, until an operator gives that up",
  async (t) => {
    const { boundary, sign, client, tenant } = await fixture(t)
    const ledger = join(boundary.directory, "signer", "ledger")
    const copy = join(t.testdir(), "copy")
    await boundary.restart(() => cpSync(ledger, copy, { recursive: true }))
    await sign()
    await boundary.signer.signLog()
    const { checkpoint } = await call.readLog(boundary, 0, 0)
    await boundary.restart(() => {
      rmSync(ledger, { recursive: true })
      cpSync(copy, ledger, { recursive: true })
    })
    t.ok(await sign(), "the copy alone cannot tell")
    t.match(await call.show(boundary, checkpoint), { contradicted: true, counted: [], witnesses: 0 })
    const body = client.body("ACTIVITY_TYPE_CREATE_WALLET", tenant.organizationId, {
      walletName: "x",
      accounts: [],
    })
    t.match(await client.send(body, tenant.root), { is: "refused", code: /^LEDGER_(?:OLDER|FORKED)$/ })
    await boundary.restart()
    const status = await operatorHandlers.getStatus({}, boundary.signer)
    t.match(status.explanation, /leaves/)
    t.match(await client.send(body, tenant.root), { is: "refused" }, "after a restart too")
    await operatorHandlers.acceptLedger({ restored: false } as never, boundary.signer)
    t.equal(boundary.signer.phase().name, "clock-untrusted", "until bodies of the time before have expired")
    await t.rejects(call.show(boundary, checkpoint), { code: "CHECKPOINT_INVALID" })
    t.match((await verified(boundary)).head.origin, /\/1\/\d+$/)
  },
)

t.test("C-1733: a receipt whose leaf a crash lost is not given again, and a torn line is none", async (t) => {
  const directory = t.testdir()
  const kept = (size: number) => new KeptReceipts(directory, { era: 0, size })
  const receiptAt = (index: number) =>
    writeLogReceipt({
      status: 2,
      lane: 1,
      era: 0,
      startIndex: 0,
      counter: 1,
      index,
      salt: Buffer.alloc(32, index),
    })
  const receipts = kept(0)
  for (const index of [3, 4, 5]) receipts.set(`vote-${index}`, receiptAt(index))
  appendFileSync(join(directory, "receipts"), "vote-6 AQ")
  const after = kept(5)
  t.same(Buffer.from(after.get("vote-4")), Buffer.from(receiptAt(4)))
  t.equal(after.get("vote-5").length, 0, "its leaf is another one now")
  t.equal(after.get("vote-6").length, 0)
  t.same(
    readFileSync(join(directory, "receipts"), "utf8").split("\n").length,
    3,
    "written anew at each start",
  )
  for (let vote = 0; vote < 5 * 8192; vote++) after.set(`vote-${vote}`, receiptAt(3))
  t.ok(readFileSync(join(directory, "receipts")).length < 4_000_000, "bounded")
  t.equal(kept(5).get(`vote-${5 * 8192 - 1}`).length, receiptAt(3).length)
})
