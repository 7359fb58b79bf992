import { decryptSecretBundle, encryptSecretToBundle, generateP256KeyPair } from "@turnkey/crypto"
import { type ApiClient, type Tenant, valueOf } from "./api-client.ts"
import type { InProcessBoundary } from "./boundary.ts"
import { signerPublicKeyOf } from "./bundles.ts"
import type { TestKey } from "./stamper.ts"

// Secrets as a published client seals and opens them, with this deployment's key as the pinned one.

export const SUITE = "TRANSPORT_ENCRYPTION_SUITE_ENCLAVE_ENCRYPT_V1"

type Pinned = { organizationId: string; signerPublicKey: string }

type Content = { plaintext: string; name?: string; properties?: { [key: string]: string } }

/** One of the parameters of import_secrets, sealed to the key of a target message. */
export async function sealSecret({ plaintext, name, properties = {} }: Content, message: string, by: Pinned) {
  const { secretPayload, targetPublicKey } = await encryptSecretToBundle({
    plaintext,
    ingressTargetBundle: message,
    organizationId: by.organizationId,
    dangerouslyOverrideSignerPublicKey: by.signerPublicKey,
  })
  const staticProperties = Object.entries(properties).map(([key, value]) => ({ key, value }))
  return {
    ...(name === undefined ? {} : { name }),
    secretPayload,
    targetPublicKey,
    encryptionSuite: SUITE,
    staticProperties,
  }
}

/** Recipient of exported secrets: a target key, and the payloads opened with it. */
export class Recipient {
  readonly #key = generateP256KeyPair()

  get targetPublicKey(): string {
    return this.#key.publicKeyUncompressed
  }

  /** One of the parameters of export_secrets. */
  asks(secretId: string) {
    return { secretId, targetPublicKey: this.targetPublicKey, encryptionSuite: SUITE }
  }

  open(secretPayload: string, { organizationId, signerPublicKey }: Pinned): Promise<string> {
    return decryptSecretBundle({
      secretPayload,
      embeddedPrivateKey: this.#key.privateKey,
      organizationId,
      dangerouslyOverrideSignerPublicKey: signerPublicKey,
    })
  }
}

/** A user who imports and exports secrets. */
export class SecretUser {
  readonly #client: ApiClient
  readonly #key: TestKey
  readonly by: Pinned

  constructor(
    fixture: { client: ApiClient; boundary: InProcessBoundary; acme: Tenant },
    key: TestKey = fixture.acme.root,
  ) {
    this.#client = fixture.client
    this.#key = key
    this.by = {
      organizationId: fixture.acme.organizationId,
      signerPublicKey: signerPublicKeyOf(fixture.boundary),
    }
  }

  submit(type: string, parameters: object) {
    return this.#client.submit(this.#key, `ACTIVITY_TYPE_${type}`, this.by.organizationId, parameters)
  }

  async targets(numSecrets = 1): Promise<string[]> {
    const outcome = await this.submit("INIT_IMPORT_SECRETS", { encryptionSuite: SUITE, numSecrets })
    return valueOf(outcome, "initImportSecretsResult").enclaveTargetMessages
  }

  /** Parameters of import_secrets, each secret sealed to a fresh key. */
  async sealed(...contents: Content[]) {
    const targets = await this.targets(contents.length)
    const secrets = await Promise.all(
      contents.map((content, index) => sealSecret(content, targets[index] ?? "", this.by)),
    )
    return { secrets }
  }

  /** Ids of the imported secrets. */
  async import(...contents: Content[]): Promise<string[]> {
    const outcome = await this.submit("IMPORT_SECRETS", await this.sealed(...contents))
    return valueOf(outcome, "importSecretsResult").secretIds
  }

  /** The contents of secrets, exported to a fresh key. */
  async contents(...secretIds: string[]): Promise<string[]> {
    const recipient = new Recipient()
    const secrets = secretIds.map((id) => recipient.asks(id))
    const outcome = await this.submit("EXPORT_SECRETS", { secrets })
    const { secretPayloads } = valueOf(outcome, "exportSecretsResult")
    return Promise.all(secretPayloads.map((payload) => recipient.open(payload, this.by)))
  }
}
