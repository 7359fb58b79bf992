import { copyFileSync } from "node:fs"
import { fromBinary } from "@bufbuild/protobuf"
import { type ActivityEntry, activityTypes } from "../../../proto/catalog.ts"
import { ActivityStatus } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  type FetchedStatement,
  FetchedStatementSchema,
} from "../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { type Answer, apiKey, type Context, type Tenant, valueOf } from "../../harness/api-client.ts"
import { AttestedKey, nonceOf } from "../../harness/attested.ts"
import { authProxyPairing, openedKey } from "../../harness/auth-proxy.ts"
import { documentOf } from "../../harness/document.ts"
import { FakeFetcher } from "../../harness/fake-fetcher.ts"
import { mailedKeys } from "../../harness/mailed-keys.ts"
import { newKey, stampBy, type StampHeader, type TestKey } from "../../harness/stamper.ts"
import { child } from "../../harness/sub-organization.ts"
import { asRoot, type Fixture } from "../setup.ts"
import { sweptOrders, type SweptOrder } from "../sweep/orders.ts"
import { RecordingClient } from "../sweep/recording-client.ts"
import { RepeatableSigner, type Snapshot } from "../sweep/repeatable-signer.ts"

const DAY_SECONDS = "86400"
const SHORT_SECONDS = 60
/** Subject of the token that attests a key of the root user. */
const PERSON = "the root user"

/** An API tier that keeps the fetcher's statements about a body, because the fetcher makes some of them only once. */
export class StatementKeepingClient extends RecordingClient {
  readonly statements = new Map<string, FetchedStatement[]>()

  override order(body: string, stamp: string | StampHeader, context: Context = {}): Promise<Answer> {
    const known = this.statements.get(body) ?? []
    return super.order(body, stamp, { ...context, fetched: [...known, ...(context.fetched ?? [])] })
  }

  override copy(): StatementKeepingClient {
    const other = new StatementKeepingClient(this.boundary, this.fakeFetcher)
    for (const name of ["documents", "records", "olderDocuments", "olderRecords"] as const)
      for (const [key, value] of this[name]) other[name].set(key, value)
    for (const [body, statements] of this.statements) other.statements.set(body, statements)
    return other
  }
}

export type User = { userId: string; key: TestKey }

/** Organizations, users and keys that send the bodies. */
export type Actors = {
  acme: Tenant
  other: Tenant
  /** A sub-organization of acme. */
  subOrganization: Tenant
  /** A sub-organization of acme that was deleted. */
  deletedSubOrganization: Tenant
  /** A user without any policy; also the member of a quorum of two. */
  alice: User
  /** A user whom a policy allows the prepared activity, and one whom a policy allows every other activity. */
  dana: User
  mallory: User
  /** A user who was deleted. */
  bob: User
  expiredKey: TestKey
  session: TestKey
  expiredSession: TestKey
  endedSession: TestKey
  /** Sessions of the root user whose scopes allow everything, and nothing. */
  wideSession: TestKey
  narrowSession: TestKey
  attested: AttestedKey
  recoveryKey: TestKey
  proxy: User
}

/** A state of the signer and its fetcher in which one activity's request can be sent any number of times. */
export type PreparedRequest = {
  entry: ActivityEntry
  request: SweptOrder
  client: StatementKeepingClient
  snapshot: Snapshot
  /** Copy of the fetcher's store. */
  codes: string
}

type Teardown = { teardown(clean: () => Promise<void>): unknown }

/** The real signer in this process, with the organizations and credentials of every caller. */
export class CrossSetup {
  readonly signer: RepeatableSigner
  readonly actors: Actors
  readonly #fixture: Omit<Fixture, "client">
  readonly #base: Omit<PreparedRequest, "entry" | "request">
  #loads = 0

  private constructor(
    signer: RepeatableSigner,
    actors: Actors,
    fixture: Omit<Fixture, "client">,
    base: Omit<PreparedRequest, "entry" | "request">,
  ) {
    this.signer = signer
    this.actors = actors
    this.#fixture = fixture
    this.#base = base
  }

  static async open(t: Teardown): Promise<CrossSetup> {
    const fakeFetcher = await FakeFetcher.open(t)
    const signer = new RepeatableSigner({ ...fakeFetcher.pairing, ...authProxyPairing })
    t.teardown(() => signer.close())
    const { boundary } = signer
    fakeFetcher.obey(boundary)
    const client = new StatementKeepingClient(boundary, fakeFetcher)
    const acme = await client.createOrganization("Acme")
    const fixture = { boundary, fakeFetcher, acme, ...(await client.wallet(acme)) }
    const actors = await createActors({ ...fixture, client })
    const codes = `${fakeFetcher.storeFile}.base`
    fakeFetcher.restart(() => copyFileSync(fakeFetcher.storeFile, codes))
    return new CrossSetup(signer, actors, fixture, { client, snapshot: await signer.save(), codes })
  }

  /** Prepares a state in which the activity's request runs if its preparer stamps it. */
  async prepare(name: string): Promise<PreparedRequest> {
    const { acme, alice, dana, mallory } = this.actors
    const entry = activityTypes.get(`ACTIVITY_TYPE_${name}`)!
    const prepared = await this.change(
      { ...this.#base, entry, request: {} as SweptOrder },
      async (client, prepared) => {
        const is = (user: User) => `approvers.any(user, user.id == '${user.userId}')`
        const { submit } = asRoot({ client, acme })
        const allow = { effect: "EFFECT_ALLOW", notes: "" }
        const policies = [
          { condition: `activity.type == '${entry.type}'`, consensus: is(dana) },
          { condition: `activity.type != '${entry.type}'`, consensus: is(mallory) },
        ].map((policy, index) => ({ ...allow, ...policy, policyName: `cross ${index}` }))
        await submit("CREATE_POLICIES", { policies })
        const fixture = { ...this.#fixture, client }
        prepared.request = await sweptOrders.get(name)!({ fixture, acme, alice })
      },
    )
    await this.load(prepared)
    const { client, request } = prepared
    const body = bodyOf(prepared)
    const answer = await client.offer(body, stampBy(request.stamper, body))
    if (answer.is !== "outcome") throw new Error(`${name}: the request does not run: ${verdictOf(answer)}`)
    const { fetched } = client.lastOrder!
    client.statements.set(
      body,
      fetched.map((bytes) => fromBinary(FetchedStatementSchema, bytes)),
    )
    return prepared
  }

  /** Loads a state, changes it and saves the result as another one. */
  async change(
    from: PreparedRequest,
    make: (client: StatementKeepingClient, prepared: PreparedRequest) => Promise<unknown>,
  ): Promise<PreparedRequest> {
    await this.load(from)
    const prepared = { ...from, client: from.client.copy() }
    await make(prepared.client, prepared)
    const { fakeFetcher } = this.#fixture
    prepared.snapshot = await this.signer.save()
    prepared.codes = `${fakeFetcher.storeFile}.${this.#loads}`
    fakeFetcher.restart(() => copyFileSync(fakeFetcher.storeFile, prepared.codes))
    return prepared
  }

  /** Starts signer and fetcher in this state. */
  async load({ snapshot, codes }: Pick<PreparedRequest, "snapshot" | "codes">): Promise<void> {
    await this.signer.load(snapshot, `cross ${this.#loads++}`)
    const { fakeFetcher } = this.#fixture
    fakeFetcher.restart(() => copyFileSync(codes, fakeFetcher.storeFile))
  }

  discard({ snapshot }: PreparedRequest): void {
    this.signer.discard(snapshot)
  }
}

/** The request's body, optionally with another organization or time. */
export function bodyOf(
  { client, entry, request, snapshot }: PreparedRequest,
  { organizationId = request.organizationId, laterMs = 0 } = {},
): string {
  const timeMs = (request.timestampMs ?? snapshot.atMs) + laterMs
  return client.body(entry.type, organizationId, request.parameters, timeMs)
}

/** The answer in a word: `done`, `waits` or `failed`, a refusal's code, or `needed`. */
export function verdictOf(answer: Answer): string {
  if (answer.is === "refused") return answer.code
  if (answer.is === "needed") return "needed"
  switch (answer.outcome.status) {
    case ActivityStatus.CONSENSUS_NEEDED:
    case ActivityStatus.AUTHENTICATORS_NEEDED:
      return "waits"
    case ActivityStatus.FAILED:
      return "failed"
    default:
      return "done"
  }
}

async function createActors(fixture: Fixture): Promise<Actors> {
  const { client, acme, boundary, fakeFetcher } = fixture
  const { submit } = asRoot(fixture)
  const other = await client.createOrganization("Other")
  const [subOrganization, deletedSubOrganization] = [await child(client, acme), await child(client, acme)]
  const deletion = { deleteWithoutExport: true }
  await client.submit(
    deletedSubOrganization.root,
    "ACTIVITY_TYPE_DELETE_SUB_ORGANIZATION",
    deletedSubOrganization.organizationId,
    deletion,
  )
  const user = (name: string) => client.user(acme, name)
  const [alice, dana, mallory, bob] = [
    await user("alice"),
    await user("dana"),
    await user("mallory"),
    await user("bob"),
  ]
  await submit("DELETE_USERS", { userIds: [bob.userId] })
  const expiredKey = newKey()
  const apiKeys = [apiKey(expiredKey, "short", String(SHORT_SECONDS))]
  await submit("CREATE_API_KEYS_V2", { userId: acme.rootUserId, apiKeys })
  const login = async (parameters: object) => (await client.login(acme, acme.root, parameters)).key
  const endedSession = await login({})
  const expiredSession = await login({ expirationSeconds: String(SHORT_SECONDS), invalidateExisting: true })
  const session = await login({ expirationSeconds: DAY_SECONDS })
  const scoped = async (sessionProfileName: string, scope: string) => {
    const made = await submit("CREATE_SESSION_PROFILE", { sessionProfileName, scope })
    const { sessionProfileId } = valueOf(made, "createSessionProfileResult")
    return login({ sessionProfileId, expirationSeconds: DAY_SECONDS })
  }
  const wideSession = await scoped("wide", "1 == 1")
  const narrowSession = await scoped("narrow", "activity.type == 'ACTIVITY_TYPE_NONE'")
  const key = newKey()
  const oauthProviders = [{ providerName: "idp", oidcToken: fakeFetcher.token({ sub: PERSON }) }]
  await submit("CREATE_OAUTH_PROVIDERS_V2", { userId: acme.rootUserId, oauthProviders })
  await submit("ENABLE_AUTH_PROXY", {})
  const document = documentOf(client, acme.organizationId)
  const proxy = { userId: document.authProxy!.userId, key: openedKey(document)! }
  boundary.clock.pass((SHORT_SECONDS + 1) * 1000)
  const recoveryKey = await (await mailedKeys(fixture, acme, "recovery@example.com")).recoveryKey()
  const attested = new AttestedKey(key, fakeFetcher.token({ sub: PERSON, nonce: nonceOf(key) }))
  const sessions = { session, expiredSession, endedSession, wideSession, narrowSession }
  return {
    acme,
    other,
    subOrganization,
    deletedSubOrganization,
    alice,
    dana,
    mallory,
    bob,
    expiredKey,
    ...sessions,
    attested,
    recoveryKey,
    proxy,
  }
}
