import { createPrivateKey, randomFillSync, sign } from "node:crypto"
import { create, fromBinary } from "@bufbuild/protobuf"
import { type Order, OrderSchema, type Outcome } from "../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { RecordSchema } from "../../proto/gen/countersign/state/v1/record_pb.ts"
import { SetupCodeSchema } from "../../proto/gen/countersign/state/v1/setup_pb.ts"
import { boot } from "../../signer/enclave/boot.ts"
import type { BootedSigner } from "../../signer/enclave/booted-signer.ts"
import { readConfig } from "../../signer/enclave/config.ts"
import { createDeployment } from "../../signer/enclave/create-deployment.ts"
import { isContextNeeded } from "../../signer/enclave/execution/state/context-needed.ts"
import { isDenial } from "../../signer/enclave/execution/steps/outcome.ts"
import { isReplayed } from "../../signer/enclave/execution/steps/replay.ts"
import type { ServingState } from "../../signer/enclave/rpc/context.ts"
import { createSetupCode } from "../../signer/enclave/rpc/operator.ts"
import { newStampKey, type StampKey } from "../suborgs/documents.ts"

/** A signer in this process, with an organization of one root user: everything but the boundary is the real one. */
export class OwnSigner {
  readonly state: ServingState
  readonly organizationId: string
  readonly #signer: BootedSigner
  readonly #root: StampKey
  readonly #records = new Map<string, Uint8Array>()
  #document: Uint8Array = new Uint8Array(0)

  private constructor(signer: BootedSigner, root: StampKey, organizationId: string) {
    this.#signer = signer
    this.#root = root
    this.state = signer.state()
    this.organizationId = organizationId
  }

  static async open(directory: string): Promise<OwnSigner> {
    const clock = { wallMs: () => Date.now(), monotonicMs: () => performance.now() }
    const config = readConfig({ COUNTERSIGN_DATA_DIR: directory })
    createDeployment(config)
    const signer = boot(config, { clock, terminate })
    const root = newStampKey()
    const request = { publicKey: root.publicKeyHex, expirationSeconds: 0 }
    const { setupCode } = await createSetupCode(request as never, signer)
    const { organizationId } = fromBinary(SetupCodeSchema, Buffer.from(setupCode, "base64url"))
    const own = new OwnSigner(signer, root, organizationId)
    const apiKey = { apiKeyName: "root", publicKey: root.publicKeyHex, curveType: "API_KEY_CURVE_P256" }
    const rootUser = { userName: "root", apiKeys: [apiKey] }
    await own.submit("CREATE_ORGANIZATION", { setupCode, organizationName: "Bench", rootUser })
    return own
  }

  /** Acts as an honest API tier: sends the order, again with the requested records, and stores the outcome. */
  async submit(type: string, parameters: object): Promise<Outcome> {
    const order = this.#order(type, parameters)
    const { executor } = this.state
    let outcome = await executor.execute(order)
    if (isContextNeeded(outcome)) {
      const records = (outcome.needed.recordIds ?? []).map((id) => this.record(id))
      outcome = await executor.execute({ ...order, documents: [this.#document], records })
    }
    if (isContextNeeded(outcome)) throw outcome
    if (isDenial(outcome) || isReplayed(outcome)) throw outcome.refusal
    if (outcome.document.length > 0) this.#document = outcome.document
    for (const bytes of outcome.records) this.#records.set(fromBinary(RecordSchema, bytes).id, bytes)
    return outcome
  }

  record(id: string): Uint8Array {
    const bytes = this.#records.get(id)
    if (bytes === undefined) throw new Error(`there is no record ${id}`)
    return bytes
  }

  close(): Promise<void> {
    return this.#signer.close()
  }

  #order(type: string, parameters: object): Order {
    const { organizationId } = this
    const timestampMs = String(this.state.nowMs())
    const activity = { type: `ACTIVITY_TYPE_${type}`, timestampMs, organizationId, parameters }
    const body = Buffer.from(JSON.stringify(activity))
    const signature = sign("sha256", body, createPrivateKey(this.#root.privateKeyPem)).toString("hex")
    const stamp = { publicKey: this.#root.publicKeyHex, scheme: "SIGNATURE_SCHEME_TK_API_P256", signature }
    const xStamp = Buffer.from(JSON.stringify(stamp)).toString("base64url")
    return create(OrderSchema, { body, xStamp })
  }
}

/** Bytes of a key that must be below the order of its curve. */
export function someKey(): Uint8Array {
  const bytes = randomFillSync(new Uint8Array(32))
  bytes[0] = 1
  return bytes
}

function terminate(error: unknown): never {
  throw error
}
