import type { ActName } from "../../core/holder-acts/acts.ts"

/** `approve prepare`. Members that the act does not take are empty. */
export type PrepareCommand = {
  act: ActName
  restored: boolean
  publicKey: string
  expirationSeconds: number
  shares: number
  threshold: number
  holders: readonly string[]
  /** 0: four hours. */
  withinSeconds: number
}

/** `with`: what signs the text, or signed it elsewhere. */
export type HolderCommand =
  | { does: "key"; file: string; isPlain: boolean }
  | { does: "passkey"; file: string }
  | { does: "sign"; file: string; with: SignWith }

export type SignWith =
  | { kind: "key"; file: string }
  | { kind: "passkey"; file: string }
  | { kind: "signature" | "assertion"; file: string; publicKey: string }
