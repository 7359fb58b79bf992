// A signer as a process, killed at any moment while it signs, with audit stream and receipts: nothing that left it is contradicted.
import { hash, randomInt } from "node:crypto"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import t from "tap"
import { AuditChain } from "../../signer/core/audit/chain.ts"
import { CompactRange } from "../../signer/core/log/compact-range.ts"
import { readCheckpoint } from "../../signer/core/log/checkpoint.ts"
import { commitmentOf, LEAF_BYTES, readLeaf, writeDecision } from "../../signer/core/log/leaf.ts"
import { leafHash } from "../../signer/core/log/merkle.ts"
import { readNote } from "../../signer/core/log/note.ts"
import { readLogReceipt } from "../../signer/core/log/receipt.ts"
import { auditLines } from "../../signer/process/audit-folder.ts"
import { ApiClient, ethereumAccount, signParams, valueOf } from "../harness/api-client.ts"
import { isLong } from "../harness/long.ts"
import { patienceMs } from "../harness/patience.ts"
import { RunningBoundary } from "../harness/running-boundary.ts"
import { newKey } from "../harness/stamper.ts"

/** `npm run kills` for 1,000; TEST_KILLS names another number. */
const KILLS = Number(process.env["TEST_KILLS"] ?? (isLong ? 1000 : 2))

/** Signatures that are asked for at a time. */
const CLIENTS = 8

/** Leaves of one call. */
const PAGE = 4096

type Signed = { receipt: Uint8Array; activityId: string; fingerprint: string; decidedAtMs: bigint }

async function signing() {
  const boundary = await RunningBoundary.start()
  const client = new ApiClient(boundary)
  const { organizationId, root } = await client.createOrganization()
  const { addresses } = valueOf(
    await client.submit(root, "ACTIVITY_TYPE_CREATE_WALLET", organizationId, {
      walletName: "killed",
      accounts: [ethereumAccount(0)],
    }),
    "createWalletResult",
  )
  const signed: Signed[] = []
  const running = { isKilled: false }
  const signOn = async () => {
    while (!running.isKilled) {
      const payload = newKey().publicKeyHex.slice(2)
      const body = client.body(
        "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
        organizationId,
        signParams(addresses[0]!, payload),
      )
      const answer = await client.send(body, root)
      if (answer.is !== "outcome") throw new Error(`a signature was refused: ${JSON.stringify(answer)}`)
      const { logReceipt: receipt, activityId, decidedAtMs } = answer.outcome.decision!
      signed.push({ receipt, activityId, fingerprint: hash("sha256", body), decidedAtMs })
    }
  }
  /** Signs, has heads read and an operator act, and kills the signer at any moment. Returns the heads that left it. */
  const run = async (): Promise<Uint8Array[]> => {
    running.isKilled = false
    const heads: Uint8Array[] = []
    const api = boundary.client()
    // What waits for an answer of a killed signer waits for ever, or fails.
    const unanswered = () => undefined
    for (let at = 0; at < CLIENTS; at++) void signOn().catch(unanswered)
    void boundary.createSetupCode(newKey().publicKeyHex).catch(unanswered)
    const readHeads = async () => {
      while (!running.isKilled) {
        heads.push((await api.call.readLog({})).checkpoint)
        await pause(50)
      }
    }
    const reading = readHeads().catch(unanswered)
    await pause(randomInt(1, 1500))
    running.isKilled = true
    await boundary.kill()
    api.close()
    await reading
    return heads
  }
  return { boundary, organizationId, signed, run }
}

/** All leaves that the latest checkpoint covers, whose root they have. */
async function leavesOf(boundary: RunningBoundary): Promise<Uint8Array[]> {
  const { call, close } = boundary.client()
  const { checkpoint } = await call.readLog({})
  const head = readCheckpoint(readNote(checkpoint)!.text)!
  const leaves: Uint8Array[] = []
  const range = new CompactRange()
  while (leaves.length < head.size) {
    const { leaves: bytes } = await call.readLog({ first: BigInt(leaves.length), count: PAGE })
    for (let at = 0; at < bytes.length && leaves.length < head.size; at += LEAF_BYTES) {
      leaves.push(bytes.slice(at, at + LEAF_BYTES))
      range.append(leafHash(leaves.at(-1)!))
    }
  }
  close()
  if (Buffer.compare(range.root(), head.root) !== 0) throw new Error("the leaves are not those of the head")
  return leaves
}

t.test(
  `W75: ${KILLS} kills of a signer that signs: no false halt, no fork, and each receipt opens its leaf or is lost in a signed gap`,
  { timeout: patienceMs(120_000 + KILLS * 10_000) },
  async (t) => {
    const { boundary, organizationId, signed, run } = await signing()
    t.teardown(() => boundary.close())
    const status = () => boundary.operate((call) => call.getStatus({}))
    let heads = 0
    for (let kill = 0; kill < KILLS; kill++) {
      const left = await run()
      await boundary.restart()
      const { call, close } = boundary.client()
      for (const checkpoint of left)
        if ((await call.showCheckpoint({ checkpoint })).contradicted)
          t.fail("a head that left is contradicted")
      close()
      const { explanation } = await status()
      if (explanation !== "answers everything") t.fail(`a false halt: ${explanation}`)
      heads += left.length
    }
    t.ok(signed.length > 0 && heads > 0, `${signed.length} signatures and ${heads} heads left the signer`)
    await boundary.restartAfter(() => undefined)
    const leaves = await leavesOf(boundary)
    const kinds = leaves.map((leaf) => readLeaf(leaf)?.kind)
    const gaps = kinds.flatMap((kind, at) =>
      kind === "start" && at > 0 && kinds[at - 1] !== "stop" ? [at] : [],
    )
    t.equal(gaps.length, KILLS, "each start after a kill says that leaves may be missing before it")
    const lost = signed.filter((one) => !isOpened(one, leaves, organizationId))
    for (const { receipt } of lost) {
      const { index, startIndex } = readLogReceipt(receipt)!
      const gap = gaps.find((at) => at > startIndex)
      t.ok(gap !== undefined && gap <= index, `leaf ${index} was lost before the start at ${gap}`)
    }
    const chain = new AuditChain(1)
    for (const line of auditLines(join(boundary.directory, "data", "signer", "audit"))) chain.add(line)
    t.strictSame(chain.end().faults, [], "the audit stream is whole")
    t.comment(`${lost.length} of ${signed.length} receipts were lost in signed gaps`)
  },
)

/** True if the receipt's leaf is in the log and commits to the decision. */
function isOpened(
  { receipt, activityId, fingerprint, decidedAtMs }: Signed,
  leaves: readonly Uint8Array[],
  organizationId: string,
): boolean {
  const { index, salt, status, counter, startIndex } = readLogReceipt(receipt)!
  const leaf = leaves[index] && readLeaf(leaves[index])
  const statement = {
    organizationId,
    activityId,
    fingerprint,
    status,
    counter,
    startIndex,
    decidedAtMs: Number(decidedAtMs),
  }
  return (
    leaf?.kind === "decision" &&
    Buffer.compare(leaf.value, commitmentOf(salt, writeDecision(statement))) === 0
  )
}
