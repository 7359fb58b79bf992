import type { CertificateTerms } from "../../../signer/core/crypto/certificate.ts"

/** A process that the API is connected to. */
export type LinkedProcess = "signer" | "fetcher"

/** A certificate that one end of mutual TLS shows. */
export type ShownCertificate = CertificateTerms & { readonly holder: "api" | LinkedProcess }

/** Mutual TLS with a process. */
export type Link = {
  /** The side that refused the other's certificate, and its reason; undefined: neither. */
  readonly fault: string | undefined
  /** Certificates of this process and, after the first connection, of the peer. */
  readonly certificates: readonly ShownCertificate[]
}

/** The connections with mutual TLS; an absent one is a socket of this host. */
export type Links = { readonly [peer in LinkedProcess]?: Link | undefined }

export const PEERS = ["signer", "fetcher"] as const satisfies readonly LinkedProcess[]
