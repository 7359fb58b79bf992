import { authProxyPairing } from "../../harness/auth-proxy.ts"
import { FakeFetcher } from "../../harness/fake-fetcher.ts"
import type { Tenant } from "../../harness/api-client.ts"
import { stampBy, type Stamper, type TestKey } from "../../harness/stamper.ts"
import type { OrderWithSources, WireOrder } from "./alterations.ts"
import type { Prepare, SweptOrder } from "./orders.ts"
import { RecordingClient } from "./recording-client.ts"
import { RepeatableSigner, type Snapshot } from "./repeatable-signer.ts"

/** One order, ready to be altered. */
export type PreparedOrder = OrderWithSources & {
  snapshot: Snapshot
  /** The same signer before the other tenant prepared anything, at the same time. */
  withoutOther: Snapshot
  /** The credential that stamped the order. */
  stamper: Stamper
  /** Organizations of the other tenant. */
  otherIds: string[]
}

type Member = {
  acme: Tenant
  alice: { userId: string; key: TestKey }
  walletId: string
  address: string
}

type Teardown = { teardown(clean: () => Promise<void>): unknown }

const MINUTE_MS = 60_000

/** A signer with two tenants of equal content, on which orders are prepared. */
export class OrderPreparation {
  readonly signer: RepeatableSigner
  readonly #fakeFetcher: FakeFetcher
  readonly #client: RecordingClient
  readonly #base: { snapshot: Snapshot; members: readonly [Member, Member] }

  #completed = 0

  private constructor(
    signer: RepeatableSigner,
    client: RecordingClient,
    fakeFetcher: FakeFetcher,
    base: { snapshot: Snapshot; members: readonly [Member, Member] },
  ) {
    this.signer = signer
    this.#client = client
    this.#fakeFetcher = fakeFetcher
    this.#base = base
  }

  static async open(t: Teardown): Promise<OrderPreparation> {
    const fakeFetcher = await FakeFetcher.open(t)
    const signer = new RepeatableSigner({ ...fakeFetcher.pairing, ...authProxyPairing })
    t.teardown(() => signer.close())
    fakeFetcher.obey(signer.boundary)
    const client = new RecordingClient(signer.boundary, fakeFetcher)
    const members = [await newMember(client, "Acme"), await newMember(client, "Other")] as const
    const snapshot = await signer.save()
    return new OrderPreparation(signer, client, fakeFetcher, { snapshot, members })
  }

  /** The signer's tenants, before any request is prepared. */
  get base(): { snapshot: Snapshot; client: RecordingClient; organizationIds: readonly [string, string] } {
    const { snapshot, members } = this.#base
    const [own, other] = members.map(({ acme }) => acme.organizationId)
    return { snapshot, client: this.#client, organizationIds: [own!, other!] }
  }

  /** Prepares the request for both tenants, the other one last, and finds out which context its order needs. */
  async prepare(name: string, prepare: Prepare): Promise<PreparedOrder> {
    const { signer } = this
    await signer.load(this.#base.snapshot, `${name}: setup`)
    const client = this.#client.copy()
    const [own, other] = this.#base.members.map((member) => () => prepare(this.#actors(member, client)))
    const request = await own!()
    const before = new Set(client.documents.keys())
    const withoutOther = await signer.save()
    const otherRequest = await other!()
    const otherIds = [...client.documents.keys()].filter((id) => !before.has(id))
    const snapshot = await signer.save()
    const { atMs } = snapshot
    const complete = (one: SweptOrder, atMs: number) => this.#complete(name, snapshot, client, one, atMs)
    const order = await complete(request, atMs)
    if (order === undefined) throw new Error(`${name}: the unaltered order was not carried out`)
    const earlier = { ...request, parameters: request.older }
    const olderMs = atMs - 10 * MINUTE_MS
    // Only statements have to be fetched for it: an older document and record are at hand.
    const older =
      order.fetched.length === 0 ? orderOf(client, earlier, olderMs) : await complete(earlier, olderMs)
    return {
      snapshot,
      withoutOther: { ...withoutOther, atMs },
      order,
      another: (await complete(otherRequest, atMs)) ?? order,
      older: { ...(older ?? order), ...client.olderContext(order) },
      stamper: request.stamper,
      otherIds: [this.#base.members[1].acme.organizationId, ...otherIds],
    }
  }

  #actors({ acme, alice, walletId, address }: Member, client: RecordingClient) {
    const { boundary } = this.signer
    return {
      fixture: { boundary, client, fakeFetcher: this.#fakeFetcher, acme, walletId, address },
      acme,
      alice,
    }
  }

  /** The order with the context that the signer asked for. Undefined: the request was refused. */
  async #complete(
    name: string,
    snapshot: Snapshot,
    client: RecordingClient,
    request: SweptOrder,
    timeMs: number,
  ): Promise<WireOrder | undefined> {
    // A seed of its own: the fetcher carries out no order whose id it has seen.
    await this.signer.load(snapshot, `${name}: ${this.#completed++}`)
    const { body, xStamp, xStampWebauthn } = orderOf(client, request, timeMs)
    const answer = await client.offer(Buffer.from(body).toString(), { xStamp, xStampWebauthn })
    return answer.is === "outcome" || timeMs !== snapshot.atMs ? client.lastOrder : undefined
  }
}

/** The request as it is sent at first, without context. */
function orderOf(client: RecordingClient, request: SweptOrder, timeMs: number): WireOrder {
  const { type, organizationId, parameters, stamper, timestampMs = timeMs } = request
  const body = client.body(`ACTIVITY_TYPE_${type}`, organizationId, parameters, timestampMs)
  const none = { xStamp: "", xStampWebauthn: "", documents: [], records: [], fetched: [] }
  return { ...none, body: Buffer.from(body), ...stampBy(stamper, body) }
}

async function newMember(client: RecordingClient, name: string): Promise<Member> {
  const acme = await client.createOrganization(name)
  const { walletId, address } = await client.wallet(acme, "Once")
  // So that the wallet's record has an older version, as the document has.
  const renamed = { walletId, walletName: "First" }
  await client.submit(acme.root, "ACTIVITY_TYPE_UPDATE_WALLET", acme.organizationId, renamed)
  return { acme, alice: await client.user(acme, "alice"), walletId, address }
}
