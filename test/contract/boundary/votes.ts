import type { Test } from "tap"
import { ActivityStatus, VoteSelection } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { ApiClient, signParams, valueOf } from "../../harness/api-client.ts"
import type { Boundary } from "../../harness/boundary.ts"
import { fingerprintOf } from "../../harness/stamper.ts"
import { TYPE } from "./names.ts"

/** Votes of a root quorum of two. */
export function votes(t: Test, makeBoundary: (t: Test) => Promise<Boundary>): void {
  t.test("votes", async (t) => {
    const boundary = await makeBoundary(t)
    const client = new ApiClient(boundary)
    const acme = await client.createOrganization()
    const { organizationId, root } = acme
    const alice = await client.user(acme, "alice")
    const eve = await client.user(acme, "eve")
    const { address } = await client.wallet(acme)
    await client.submit(root, TYPE("UPDATE_ROOT_QUORUM"), organizationId, {
      threshold: 2,
      userIds: [acme.rootUserId, alice.userId],
    })
    const approve = (fingerprint: string) => ({ fingerprint: `sha256:${fingerprint}` })
    const propose = async (type: string, parameters: object) => {
      const body = client.body(TYPE(type), organizationId, parameters)
      const answer = await client.send(body, root)
      if (answer.is !== "outcome") throw new Error(JSON.stringify(answer))
      t.equal(answer.outcome.status, ActivityStatus.CONSENSUS_NEEDED)
      return { body, fingerprint: fingerprintOf(body), outcome: answer.outcome }
    }

    t.test("complete an activity when the root quorum has approved", async (t) => {
      const { fingerprint, outcome } = await propose("CREATE_WALLET", { walletName: "Second", accounts: [] })
      const parameters = approve(fingerprint)
      t.equal(
        await client.refused(root, TYPE("APPROVE_ACTIVITY"), organizationId, parameters),
        "VOTE_REPEATED",
      )
      t.equal(
        await client.refused(eve.key, TYPE("APPROVE_ACTIVITY"), organizationId, parameters),
        "VOTE_NOT_COUNTED",
      )
      const done = await client.submit(alice.key, TYPE("APPROVE_ACTIVITY"), organizationId, parameters)
      t.equal(done.status, ActivityStatus.COMPLETED)
      t.equal(done.decision?.activityId, outcome.decision?.activityId, "it is the same activity")
      t.ok(valueOf(done, "createWalletResult").walletId)
      t.equal(
        await client.refused(alice.key, TYPE("APPROVE_ACTIVITY"), organizationId, parameters),
        "ACTIVITY_FINAL",
      )
    })

    t.test("may be given with the identical body, also for a signature", async (t) => {
      const { body } = await propose("SIGN_RAW_PAYLOAD_V2", signParams(address))
      const answer = await client.send(body, alice.key)
      if (answer.is !== "outcome") return t.fail(JSON.stringify(answer))
      t.equal(answer.outcome.selection, VoteSelection.APPROVED)
      t.ok(valueOf(answer.outcome, "signRawPayloadResult").r)
    })

    t.test("reject an activity for good", async (t) => {
      const { body, fingerprint } = await propose("SIGN_RAW_PAYLOAD_V2", signParams(address, "33".repeat(32)))
      const done = await client.submit(
        alice.key,
        TYPE("REJECT_ACTIVITY"),
        organizationId,
        approve(fingerprint),
      )
      t.equal(done.status, ActivityStatus.REJECTED)
      const again = await client.send(body, alice.key)
      t.match(again, { is: "refused", code: "ACTIVITY_REPLAYED" })
    })

    t.test("that complete an activity no longer possible end it as failed", async (t) => {
      const first = await propose("CREATE_WALLET", { walletName: "Twin", accounts: [] })
      const second = await propose("CREATE_WALLET", { walletName: "Twin", accounts: [] })
      await client.submit(alice.key, TYPE("APPROVE_ACTIVITY"), organizationId, approve(first.fingerprint))
      const failed = await client.submit(
        alice.key,
        TYPE("APPROVE_ACTIVITY"),
        organizationId,
        approve(second.fingerprint),
      )
      t.equal(failed.status, ActivityStatus.FAILED)
      t.match(failed.failure?.sentence, /Twin is taken/)
    })

    t.test("on an unknown fingerprint are refused", async (t) => {
      const parameters = approve("ab".repeat(32))
      t.equal(
        await client.refused(alice.key, TYPE("APPROVE_ACTIVITY"), organizationId, parameters),
        "ACTIVITY_UNKNOWN",
      )
    })

    t.test("survive a restart", async (t) => {
      const { fingerprint } = await propose("CREATE_WALLET", { walletName: "Third", accounts: [] })
      await boundary.restart()
      const done = await client.submit(
        alice.key,
        TYPE("APPROVE_ACTIVITY"),
        organizationId,
        approve(fingerprint),
      )
      t.equal(done.status, ActivityStatus.COMPLETED)
    })
  })
}
