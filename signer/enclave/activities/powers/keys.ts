// Powers over keys and secrets.
import type { Record } from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import type { Secret } from "../../../core/crypto/secret.ts"
import type { ExportedSecret } from "../../bundles/signed-bundle.ts"
import type { AuthProxyKey } from "../../keys/auth-proxy-key.ts"
import type { SigningKey } from "../../keys/signing-key.ts"

/**
 * The key of an address or private key id, from the cache or derived. It signs and reveals nothing.
 * `field`: by default parameters.signWith.
 */
export type SigningKeyReader = (signWith: string, field?: string) => SigningKey

/** Secrets of wallets, private keys and imported secrets. No other power reveals stored secrets. */
export type Vault = {
  /** Opens the sealed secret of a record; the caller wipes it. */
  openSecret(record: Record): Secret
  /** The wallet account of an address, and its wallet. @throws RESOURCE_UNKNOWN */
  account(address: string, field: string): { account: Record; wallet: Record }
}

/** Export bundles, signed by the signer, that name the submitter. Secrets leave the signer only through them. */
export type BundleExporter = {
  /** Reads the key to seal to. Call it before anything is unsealed. @throws TARGET_KEY_INVALID */
  to(
    targetPublicKey: string,
    field?: string,
  ): {
    /** Returns a bundle, JSON text, that names the secret. Wipes `plaintext`. */
    seal(plaintext: Secret, secret: ExportedSecret): string
  }
}

/** Kinds of imports; each has an import key of its own. */
export type ImportKind = "wallet" | "private-key"

/** One key of the submitter for each kind of import, valid for one hour and one import. */
export type ImportKeys = {
  /** Makes a key that replaces the earlier one; returns it as a signed bundle, JSON text. */
  make(kind: ImportKind): string
  /**
   * The key, spent once the activity succeeds; the caller wipes it.
   * @throws IMPORT_TARGET_UNKNOWN, IMPORT_TARGET_SPENT, IMPORT_TARGET_EXPIRED
   */
  spend(kind: ImportKind, field: string): Secret
}

/** An import key that a request names by its point, 130 hexadecimal digits; `field`: path of that member. */
export type NamedImportKey = { readonly publicKeyHex: string; readonly field: string }

/** Keys of the submitter for imports of secrets, several at a time, each valid for one hour and one secret. */
export type SecretImportKeys = {
  /** Makes keys; returns each as a signed bundle, JSON text. */
  make(count: number): string[]
  /**
   * The named keys, spent once the activity succeeds; the caller wipes them.
   * @throws IMPORT_TARGET_UNKNOWN, IMPORT_TARGET_SPENT, IMPORT_TARGET_EXPIRED
   */
  spend(keys: readonly NamedImportKey[]): Secret[]
}

/** The organization's proxy key. */
export type AuthProxyKeys = {
  /** Makes a key, sealed to the paired auth proxy. @throws AUTH_PROXY_NOT_PAIRED */
  readonly make: (configId: string) => AuthProxyKey
}
