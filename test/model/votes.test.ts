// Explores every state of the votes on an activity, and takes the signer along every step between them.
import t from "tap"
import { ActivityStatus } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import { RecordKind } from "../../proto/gen/countersign/state/v1/record_pb.ts"
import { archiveKey } from "../../signer/enclave/execution/state/archived-records.ts"
import type { Answer } from "../harness/api-client.ts"
import { isLong } from "../harness/long.ts"
import { stampWith } from "../harness/stamper.ts"
import { type Quorum, quorumOfThree } from "../hostile/quorum.ts"
import { ledgerSequence } from "../hostile/setup.ts"
import { explore } from "./explore.ts"
import { brokenPromise, givenAfter } from "./promises.ts"
import { type Fault, QUORUMS, type State, type User, VOTES, type VoteEvent, votesWith } from "./votes.ts"

const DAY_MS = 24 * 60 * 60 * 1000
/** The short form takes one of so many states through the signer. */
const EVERY = isLong ? 1 : 12

/** The promises that the steps of the machine break. */
function brokenBy(fault: Fault): Set<string> {
  const machine = votesWith(fault)
  const broken = new Set<string>()
  for (const { state, path } of explore(machine)) {
    const given = path.reduce(givenAfter, new Set<User>(["root"]) as ReadonlySet<User>)
    for (const event of machine.events) {
      const promise = brokenPromise({ before: state, event, after: machine.next(state, event), given })
      if (promise !== undefined) broken.add(promise)
    }
  }
  return broken
}

t.test("A5: no order of votes, lapses, restarts and changes of the quorum breaks a promise", async (t) => {
  const states = [...explore(VOTES)]
  t.comment(`${states.length} states, ${states.length * VOTES.events.length} steps`)
  t.ok(states.length > 50)
  t.strictSame([...brokenBy("none")], [])
})

t.test("the promises are broken by each way in which votes could be counted wrongly", async (t) => {
  const faults = ["lapse", "left", "twice", "rejected", "stranger", "old body", "final"] as const
  for (const fault of faults) t.ok(brokenBy(fault).size > 0, fault)
})

t.test(
  "A5: the signer takes each step as the state machine does, and a refused step leaves no trace",
  async (t) => {
    const run = await SignerOfVotes.open(t)
    const [differences, counts] = [[] as string[], { steps: 0, refused: 0 }]
    const states = [...explore(VOTES)].filter((_, at) => at % EVERY === 0)
    for (const { state, path } of states) {
      await run.lead(path)
      const changing: VoteEvent[] = []
      for (const event of VOTES.events) {
        if (VOTES.key(VOTES.next(state, event)) !== VOTES.key(state)) {
          changing.push(event)
          continue
        }
        const [before, answer] = [run.trace(), await run.take(event)]
        const isSame = event.is === "restart" || event.is === "lapse" || run.trace() === before
        // The same body again gets the same answer again until it was acknowledged.
        const isRepeated = event.is === "body" && state.approvals[event.user] === "body"
        if ((answer.status !== undefined && !isRepeated) || !isSame)
          differences.push(described(state, event, answer))
        counts.refused += 1
      }
      for (const event of changing) {
        await run.lead(path)
        const { status } = VOTES.next(state, event)
        const answer = await run.take(event)
        const isQuiet = event.is === "lapse" || event.is === "quorum"
        const expected = isQuiet ? undefined : status
        if (answer.status !== expected || (await run.hasRun()) !== (status === "completed"))
          differences.push(described(state, event, answer))
        counts.steps += 1
      }
    }
    t.comment(`${counts.steps} steps, ${counts.refused} refusals`)
    t.ok(counts.steps > 10)
    t.strictSame(differences, [])
  },
)

/** `status` undefined: the event was refused, or requests nothing of the signer. */
type Taken = { status: State["status"] | undefined; said: string }

function described(state: State, event: VoteEvent, { status, said }: Taken): string {
  return `${VOTES.key(state)} ${JSON.stringify(event)}: ${status ?? said}`
}

const STATUSES = new Map<number, State["status"]>([
  [ActivityStatus.CONSENSUS_NEEDED, "waiting"],
  [ActivityStatus.COMPLETED, "completed"],
  [ActivityStatus.REJECTED, "rejected"],
])

/** The real signer in one organization. Each path has an activity of its own. */
class SignerOfVotes {
  readonly #quorum: Quorum
  #at = 0
  #body = ""
  #fingerprint = ""
  #walletsBefore = 0
  /** The document from before the last change of the quorum. */
  #older: Uint8Array | undefined

  private constructor(quorum: Quorum) {
    this.#quorum = quorum
  }

  static async open(t: Parameters<typeof quorumOfThree>[0]): Promise<SignerOfVotes> {
    return new SignerOfVotes(await quorumOfThree(t))
  }

  trace(): bigint {
    return ledgerSequence(this.#quorum)
  }

  /** Proposes a new activity, and takes these events. */
  async lead(path: readonly VoteEvent[]): Promise<void> {
    if (this.#at !== 0) await this.#changeQuorum()
    this.#older = undefined
    this.#walletsBefore = this.#wallets()
    const { body, fingerprint } = await this.#quorum.propose()
    this.#body = body
    this.#fingerprint = fingerprint
    for (const event of path) await this.take(event)
  }

  async take(event: VoteEvent): Promise<Taken> {
    const { boundary, client } = this.#quorum
    switch (event.is) {
      case "lapse":
        boundary.clock.pass(DAY_MS)
        return { status: undefined, said: "" }
      case "restart":
        await boundary.restart()
        return { status: undefined, said: "" }
      case "quorum":
        await this.#changeQuorum()
        return { status: undefined, said: "" }
      case "older":
        return this.#offerOlder(event.user)
      case "body":
        if (event.user === "root") return { status: undefined, said: "its own proposal" }
        return taken(await client.send(this.#body, this.#keyOf(event.user)))
      default: {
        const { approval, rejection } = this.#quorum
        const vote = event.is === "approve" ? approval(this.#fingerprint) : rejection(this.#fingerprint)
        return taken(await client.send(vote, this.#keyOf(event.user)))
      }
    }
  }

  /** True if the activity has made its wallet. */
  async hasRun(): Promise<boolean> {
    return this.#wallets() > this.#walletsBefore
  }

  #wallets(): number {
    const { boundary, acme } = this.#quorum
    const rows = boundary.signer.state().ledger.rows(acme.organizationId, "archive-record")
    return rows.filter(({ key }) => key.startsWith(archiveKey(RecordKind.WALLET, ""))).length
  }

  #keyOf(user: User) {
    return user === "root" ? this.#quorum.acme.root : this.#quorum[user].key
  }

  /** Where the quorum has not changed there is no older document. */
  async #offerOlder(user: User): Promise<Taken> {
    if (this.#older === undefined) return { status: undefined, said: "no older document" }
    const vote = this.#quorum.approval(this.#fingerprint)
    return taken(
      await this.#quorum.client.order(vote, stampWith(this.#keyOf(user), vote), { document: this.#older }),
    )
  }

  async #changeQuorum(): Promise<void> {
    const { acme, client, propose, approve, alice, bob } = this.#quorum
    this.#older = client.documents.get(acme.organizationId)
    const { members, threshold } = QUORUMS[1 - this.#at]!
    const idOf = (user: User) => (user === "root" ? acme.rootUserId : this.#quorum[user].userId)
    const { fingerprint } = await propose("UPDATE_ROOT_QUORUM", { threshold, userIds: members.map(idOf) })
    const voters = this.#at === 0 ? [alice, bob] : [alice]
    for (const voter of voters) await approve(voter, fingerprint)
    this.#at = 1 - this.#at
  }
}

function taken(answer: Answer): Taken {
  if (answer.is !== "outcome")
    return { status: undefined, said: answer.is === "refused" ? answer.code : answer.is }
  const { status } = answer.outcome
  return { status: STATUSES.get(status), said: `status ${status}` }
}
