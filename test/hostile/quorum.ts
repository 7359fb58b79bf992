import type { Outcome } from "../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { apiKey } from "../harness/api-client.ts"
import { fingerprintOf, type TestKey } from "../harness/stamper.ts"
import { type Fixture, setup } from "./setup.ts"

type Member = { userId: string; key: TestKey }
type Voter = { key: TestKey }

/** Activity that root proposed, pending votes. */
export type Proposal = { body: string; fingerprint: string }

export type Quorum = Fixture & {
  alice: Member
  bob: Member
  /** A user of the organization outside the root quorum. */
  eve: Member
  propose(type?: string, parameters?: object): Promise<Proposal>
  /** Body of a vote, new at each call. */
  approval(fingerprint: string): string
  rejection(fingerprint: string): string
  approve(voter: Voter, fingerprint: string): Promise<Outcome>
  /** Adds a key to a member, with everyone's approval. */
  give(member: Member, key: TestKey): Promise<void>
}

type Teardown = { teardown(clean: () => Promise<void>): unknown }

/** An organization whose root quorum requires all of root, alice and bob. */
export async function quorumOfThree(t: Teardown): Promise<Quorum> {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const { organizationId, root, rootUserId } = acme
  const [alice, bob, eve] = [
    await client.user(acme, "alice"),
    await client.user(acme, "bob"),
    await client.user(acme, "eve"),
  ]
  const userIds = [rootUserId, alice.userId, bob.userId]
  await client.submit(root, "ACTIVITY_TYPE_UPDATE_ROOT_QUORUM", organizationId, { threshold: 3, userIds })
  let proposals = 0
  const vote = (type: string, fingerprint: string) =>
    client.body(`ACTIVITY_TYPE_${type}`, organizationId, { fingerprint: `sha256:${fingerprint}` })
  const quorum: Quorum = {
    ...fixture,
    alice,
    bob,
    eve,
    async propose(type = "CREATE_WALLET", parameters = { walletName: `Wish ${++proposals}`, accounts: [] }) {
      const body = client.body(`ACTIVITY_TYPE_${type}`, organizationId, parameters)
      const answer = await client.send(body, root)
      if (answer.is !== "outcome") throw new Error(`the proposal was not taken: ${answer.is}`)
      return { body, fingerprint: fingerprintOf(body) }
    },
    approval: (fingerprint) => vote("APPROVE_ACTIVITY", fingerprint),
    rejection: (fingerprint) => vote("REJECT_ACTIVITY", fingerprint),
    async approve({ key }, fingerprint) {
      const answer = await client.send(vote("APPROVE_ACTIVITY", fingerprint), key)
      if (answer.is !== "outcome") throw new Error(JSON.stringify(answer))
      return answer.outcome
    },
    async give(member, key) {
      const parameters = { userId: member.userId, apiKeys: [apiKey(key, "another")] }
      const { fingerprint } = await quorum.propose("CREATE_API_KEYS_V2", parameters)
      for (const voter of [alice, bob]) await quorum.approve(voter, fingerprint)
    },
  }
  return quorum
}
