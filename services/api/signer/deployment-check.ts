import { fromBinary } from "@bufbuild/protobuf"
import { NotarizedDocumentSchema } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { isSignedTagged, readPublicKeySet } from "../../../signer/core/crypto/keyset.ts"
import { DOCUMENT_TAG } from "../../../signer/core/wire.ts"
import { ApiError, GrpcCode } from "../../common/api-error.ts"
import { unavailable } from "../errors.ts"
import type { Database } from "../../database/database.ts"
import { anyDocument, type Deployment, recordDeployment, storedDeployment } from "../store/deployment.ts"
import type { Signer } from "./signer.ts"

type DeploymentCheckDeps = { sql: Database; signer: Pick<Signer, "getPins"> }

/**
 * Compares the deployment of the database with that of the signer. Over another deployment's database, reading would
 * show keys and users that the signer does not have, and outcomes would be stored among them.
 */
export class DeploymentCheck {
  readonly #deps: DeploymentCheckDeps
  #foreign: DatabaseForeign | undefined

  constructor(deps: DeploymentCheckDeps) {
    this.#deps = deps
  }

  /**
   * Asks both. A database without a recorded deployment becomes the signer's, if its documents are.
   *
   * @throws {DatabaseForeign}; ApiError 503 if the signer does not answer
   */
  async run(): Promise<void> {
    const { sql, signer } = this.#deps
    const { pins } = await signer.getPins()
    if (!pins?.deploymentId) throw unavailable("the signer sent no pins; try again")
    const { deploymentId: id, signerPublicKey, notarizerPublicKey } = pins
    const own: Deployment = { id, signerPublicKey, notarizerPublicKey }
    const stored = (await storedDeployment(sql)) ?? (await this.#adopt(own))
    this.#foreign = isSame(stored, own) ? undefined : new DatabaseForeign(stored?.id, id)
    if (this.#foreign) throw this.#foreign
  }

  /** Refuses a request if the last comparison found another deployment. @throws {DatabaseForeign} */
  requireOwn(): void {
    if (this.#foreign) throw this.#foreign
  }

  /** Records the signer's deployment and returns the recorded one; undefined: the documents are of another. */
  async #adopt(own: Deployment): Promise<Deployment | undefined> {
    const { sql } = this.#deps
    const document = await anyDocument(sql)
    if (document !== undefined && !isSignedBy(own, document)) return undefined
    await recordDeployment(sql, own)
    return storedDeployment(sql)
  }
}

function isSame(stored: Deployment | undefined, own: Deployment): boolean {
  return (
    stored?.id === own.id &&
    stored.signerPublicKey === own.signerPublicKey &&
    stored.notarizerPublicKey === own.notarizerPublicKey
  )
}

function isSignedBy({ notarizerPublicKey }: Deployment, notarized: Uint8Array): boolean {
  const { document, signature } = fromBinary(NotarizedDocumentSchema, notarized)
  const keySet = readPublicKeySet(notarizerPublicKey)
  return keySet !== undefined && isSignedTagged(keySet.sign, DOCUMENT_TAG, document, signature)
}

/** The database belongs to another deployment than the signer. */
export class DatabaseForeign extends ApiError {
  constructor(stored: string | undefined, own: string) {
    const sentence =
      `this database belongs to ${stored === undefined ? "another deployment" : `deployment ${stored}`}, and the ` +
      `signer is deployment ${own}; give the API the signer's own database or an empty one, or restore the root seed ` +
      "and the ledger of the first"
    super(GrpcCode.unavailable, sentence, { publicCode: "INTERNAL", reason: "DATABASE_FOREIGN" })
  }
}
