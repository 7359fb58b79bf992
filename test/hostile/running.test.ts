// Attacks on the running process: its socket, its files, its restart.
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, renameSync, statSync } from "node:fs"
import { join } from "node:path"
import { credentials } from "@grpc/grpc-js"
import t from "tap"
import { OperatorService } from "../../proto/gen/countersign/signer/v1/operator_pb.ts"
import { Phase } from "../../proto/gen/countersign/signer/v1/phase_pb.ts"
import { RefusalCode } from "../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import type { Outcome } from "../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { clientFor } from "../../proto/grpc-client.ts"
import { ApiClient, outcomeOf, signParams } from "../harness/api-client.ts"
import { patienceMs } from "../harness/patience.ts"
import { RunningBoundary } from "../harness/running-boundary.ts"
import { fingerprintOf, stampWith } from "../harness/stamper.ts"
import { isLong } from "../harness/long.ts"

const WALLET = "ACTIVITY_TYPE_CREATE_WALLET"

t.test("the running signer under attack", async (t) => {
  const boundary = await RunningBoundary.start()
  t.teardown(() => boundary.close())
  const client = new ApiClient(boundary)
  const acme = await client.createOrganization()
  const { organizationId, root } = acme
  const { address } = await client.wallet(acme)
  const home = join(boundary.directory, "data")
  const signing = () => client.body("ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", organizationId, signParams(address))
  const status = async () => {
    const path = `unix:${join(home, "operator", "operator.sock")}`
    const operator = clientFor(OperatorService, {
      address: path,
      credentials: credentials.createInsecure(),
      deadlineMs: patienceMs(30_000),
    })
    try {
      const { phase, haltedBy } = await operator.call.getStatus({})
      return { phase, haltedBy }
    } finally {
      operator.close()
    }
  }

  t.test("A4: a replayed body is refused across a kill", async (t) => {
    const body = client.body(WALLET, organizationId, { walletName: "One", accounts: [] })
    const xStamp = stampWith(root, body)
    const first = outcomeOf(await client.send(body, root))
    if (isLong) await boundary.restart()
    const again = outcomeOf(await client.offer(body, xStamp))
    // A crash loses leaves that no checkpoint covers yet, and with them their receipts.
    t.same(withoutReceipt(again), withoutReceipt(first), "not acknowledged: the same outcome again")
    await client.acknowledge(organizationId, fingerprintOf(body), root.publicKeyHex)
    await client.send(client.body(WALLET, organizationId, { walletName: "Two", accounts: [] }), root)
    await boundary.restart()
    t.match(await client.offer(body, xStamp), { is: "refused", code: "ACTIVITY_REPLAYED" })
  })

  t.test("A6: after a kill, each of many concurrent orders happened wholly or not at all", async (t) => {
    const bodies = Array.from({ length: 40 }, (_, index) =>
      client.body(WALLET, organizationId, { walletName: `Batch ${index}`, accounts: [] }),
    )
    const answered = new Map<string, string>()
    const waiting = bodies.map(async (body) => {
      const answer = await client.offer(body, stampWith(root, body))
      if (answer.is === "outcome") answered.set(body, answer.outcome.decision!.activityId)
    })
    await Promise.all(waiting.slice(0, 5))
    await boundary.restart()
    const kept = answered.size
    const ids = new Set<string>()
    for (const body of bodies) {
      const id = outcomeOf(await client.send(body, root)).decision!.activityId
      if (answered.has(body) && answered.get(body) !== id) t.fail("an answered activity is another one now")
      ids.add(id)
    }
    t.comment(`${kept} of ${bodies.length} were answered before the kill`)
    t.equal(ids.size, bodies.length)
    t.match(await client.send(signing(), root), { is: "outcome" })
  })

  t.test(
    "A3: the signer starts without its ledger, answers nothing, and reports the reason to the operator",
    async (t) => {
      const ledger = join(home, "signer", "ledger")
      const body = signing()
      await boundary.kill()
      renameSync(ledger, `${ledger}.away`)
      await boundary.restart()
      t.match(await client.offer(body, stampWith(root, body)), { is: "refused", code: "LEDGER_MISSING" })
      t.same(await status(), { phase: Phase.HALTED, haltedBy: RefusalCode.LEDGER_MISSING })
      await boundary.kill()
      renameSync(`${ledger}.away`, ledger)
      if (isLong) {
        chmodSync(join(home, "signer", "root-seed"), 0o644)
        await boundary.restart()
        t.match(await client.offer(body, stampWith(root, body)), {
          is: "refused",
          code: "ROOT_SEED_UNUSABLE",
        })
        chmodSync(join(home, "signer", "root-seed"), 0o600)
      }
      await boundary.restart()
      t.match(await client.offer(body, stampWith(root, body)), { is: "outcome" })
    },
  )

  t.test("A3: a second signer on the same ledger does not start", async (t) => {
    const second = spawn(process.execPath, ["signer/enclave/main.ts"], {
      env: {
        PATH: process.env["PATH"],
        COUNTERSIGN_DATA_DIR: home,
        COUNTERSIGN_SIGNER_LISTEN: `unix:${home}/2`,
      },
      stdio: ["ignore", "ignore", "pipe"],
    })
    t.not(await codeOf(second), 0)
    t.match(await client.send(signing(), root), { is: "outcome" }, "the first one goes on")
  })

  t.test("the signer's files and sockets are accessible to its own user only", async (t) => {
    const modeOf = (...path: string[]) => statSync(join(home, ...path)).mode & 0o777
    t.equal(modeOf("signer", "root-seed"), 0o600)
    t.equal(modeOf("signer", "ledger"), 0o700)
    t.equal(modeOf("signer", "ledger", "ledger.sqlite"), 0o600)
    t.equal(modeOf("signer", "ledger", "ledger.witness"), 0o600)
    t.equal(modeOf("operator"), 0o700)
    t.equal(modeOf("operator", "operator.sock"), 0o600)
  })
})

const withoutReceipt = ({ decision }: Outcome) => decision && { ...decision, logReceipt: new Uint8Array(0) }

async function codeOf(child: ChildProcess): Promise<number | null> {
  child.stderr?.resume()
  const [code] = (await once(child, "exit")) as [number | null]
  return code
}
