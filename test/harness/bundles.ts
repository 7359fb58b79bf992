import {
  decryptExportBundle,
  encryptPrivateKeyToBundle,
  encryptWalletToBundle,
  generateP256KeyPair,
} from "@turnkey/crypto"
import type { InProcessBoundary } from "./boundary.ts"
import { type ApiClient, type Tenant, valueOf } from "./api-client.ts"
import type { TestKey } from "./stamper.ts"

// Bundles as a published client seals and opens them, with this deployment's key as the pinned one.

export type Whose = { organizationId: string; userId: string; signerPublicKey: string }

const checked = ({ signerPublicKey, ...ids }: Whose) => ({
  ...ids,
  dangerouslyOverrideSignerPublicKey: signerPublicKey,
})

/** A mnemonic, or a text in its place, sealed to the key of an import bundle. */
export function sealText(mnemonic: string, importBundle: string, whose: Whose): Promise<string> {
  return encryptWalletToBundle({ mnemonic, importBundle, ...checked(whose) })
}

/** Bytes in hex, sealed likewise: a private key where they are one. */
export function sealHex(privateKey: string, importBundle: string, whose: Whose): Promise<string> {
  return encryptPrivateKeyToBundle({ privateKey, keyFormat: "HEXADECIMAL", importBundle, ...checked(whose) })
}

/** Receiver of exports: a target key, and the bundles opened with it. */
export class Reader {
  readonly #key = generateP256KeyPair()

  get targetPublicKey(): string {
    return this.#key.publicKeyUncompressed
  }

  text(exportBundle: string, whose: Pick<Whose, "organizationId" | "signerPublicKey">): Promise<string> {
    return this.#open(exportBundle, whose, true)
  }

  hex(exportBundle: string, whose: Pick<Whose, "organizationId" | "signerPublicKey">): Promise<string> {
    return this.#open(exportBundle, whose, false)
  }

  #open(
    exportBundle: string,
    whose: Pick<Whose, "organizationId" | "signerPublicKey">,
    returnMnemonic: boolean,
  ) {
    const { organizationId, signerPublicKey: dangerouslyOverrideSignerPublicKey } = whose
    const embeddedKey = this.#key.privateKey
    return decryptExportBundle({
      exportBundle,
      embeddedKey,
      organizationId,
      dangerouslyOverrideSignerPublicKey,
      returnMnemonic,
    })
  }
}

/** The signing half of the signer's key set, as clients pin it. */
export function signerPublicKeyOf({ signer }: Pick<InProcessBoundary, "signer">): string {
  return signer.state().keyring.pins.signerPublicKey.slice(130)
}

/** A user who imports: requests import keys, and seals to them. */
export class Importer {
  readonly #client: ApiClient
  readonly #key: TestKey
  readonly whose: Whose

  constructor(fixture: { client: ApiClient; boundary: InProcessBoundary; acme: Tenant }, user?: User) {
    const { organizationId, root, rootUserId } = fixture.acme
    const { userId, key } = user ?? { userId: rootUserId, key: root }
    this.#client = fixture.client
    this.#key = key
    this.whose = { organizationId, userId, signerPublicKey: signerPublicKeyOf(fixture.boundary) }
  }

  async walletTarget(): Promise<string> {
    const outcome = await this.#init("WALLET")
    return valueOf(outcome, "initImportWalletResult").importBundle
  }

  async keyTarget(): Promise<string> {
    const outcome = await this.#init("PRIVATE_KEY")
    return valueOf(outcome, "initImportPrivateKeyResult").importBundle
  }

  /** Parameters of import_wallet, sealed to a fresh key. */
  async wallet(walletName: string, text: string, accounts: object[] = []) {
    const encryptedBundle = await sealText(text, await this.walletTarget(), this.whose)
    return { userId: this.whose.userId, walletName, encryptedBundle, accounts }
  }

  /** Parameters of import_private_key, sealed to a fresh key. Formats without prefix. */
  async key(privateKeyName: string, hex: string, curve = "SECP256K1", formats: string[] = []) {
    const encryptedBundle = await sealHex(hex, await this.keyTarget(), this.whose)
    const addressFormats = formats.map((format) => `ADDRESS_FORMAT_${format}`)
    return {
      userId: this.whose.userId,
      privateKeyName,
      encryptedBundle,
      curve: `CURVE_${curve}`,
      addressFormats,
    }
  }

  #init(kind: "WALLET" | "PRIVATE_KEY") {
    const { organizationId, userId } = this.whose
    return this.#client.submit(this.#key, `ACTIVITY_TYPE_INIT_IMPORT_${kind}`, organizationId, { userId })
  }
}

type User = { userId: string; key: TestKey }
