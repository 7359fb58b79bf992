import { requireQueryReply } from "../contract/replies.ts"
import type { CreatedOrganization, Json, Reply, System } from "../harness/system.ts"
import { until } from "../services/worker/start-worker.ts"

/** Sends of one organization over HTTP, by its root user. `path`: such as eth_send_transaction. */
export class SendingClient {
  readonly #system: System
  readonly #acme: CreatedOrganization
  readonly #path: string

  constructor(system: System, acme: CreatedOrganization, path: string) {
    this.#system = system
    this.#acme = acme
    this.#path = path
  }

  /** A body of the path's first type, or of a later version's. */
  body(parameters: object, version = ""): string {
    const type = `${this.#path.toUpperCase()}${version}`
    return this.#system.body(type, this.#acme.organizationId, parameters)
  }

  post(body: string): Promise<Reply> {
    return this.#system.post(`submit/${this.#path}`, body, this.#acme.root)
  }

  /** Sends a body again after a 503, as docs/ERRORS.md says: a busy host's node answers late. */
  async answered(body: string): Promise<Reply> {
    let reply = await this.post(body)
    const isAnswered = async () => reply.status !== 503 || (reply = await this.post(body)).status !== 503
    await until(isAnswered, () => reply.text)
    return reply
  }

  /** The id by which the body's transaction is followed. */
  async statusId(body: string): Promise<string> {
    const { status, json, text } = await this.answered(body)
    if (status !== 200) throw new Error(`${status}: ${text}`)
    const { result } = json["activity"] as { result: { [name: string]: { sendTransactionStatusId: string } } }
    return Object.values(result)[0]?.sendTransactionStatusId ?? ""
  }

  async status(sendTransactionStatusId: string): Promise<Json> {
    const { organizationId, root } = this.#acme
    const asked = { organizationId, sendTransactionStatusId }
    const { json } = await this.#system.query("get_send_transaction_status", asked, root)
    return requireQueryReply("get_send_transaction_status", json)
  }

  /** The status once the transaction is included or has failed. */
  async ended(id: string): Promise<Json> {
    return this.reached(id, ({ txStatus }) => txStatus === "INCLUDED" || txStatus === "FAILED")
  }

  async reached(id: string, isReached: (status: Json) => boolean): Promise<Json> {
    let status: Json = {}
    await until(
      async () => isReached((status = await this.status(id))),
      () => JSON.stringify(status),
    )
    return status
  }
}
