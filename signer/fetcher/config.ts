import { canonicalIssuer } from "../core/oidc/issuer.ts"
import {
  type Environment,
  type Listen,
  type ListenSetting,
  SettingsReader,
} from "../core/settings/settings.ts"

export type FetcherConfig = {
  seedFile: string
  /** The public form of the key set, for whoever pairs; written at every start. */
  publicKeyFile: string
  listen: Listen
  /** Notarizer's key set of the paired signer, as its pins show it; undefined: no order is carried out. */
  notarizerPublicKey: string | undefined
  /** Issuers that may be asked; "any": every one at a public address. */
  issuers: ReadonlySet<string> | "any"
  /** Issuers that may also be asked in plain HTTP and at addresses that are not public. */
  localIssuers: ReadonlySet<string>
}

/** Issuers of the providers that published clients offer. */
const DEFAULT_ISSUERS = [
  "https://accounts.google.com",
  "https://appleid.apple.com",
  "https://www.facebook.com",
  "https://limited.facebook.com",
]

type Name =
  | ListenSetting
  | "SEED_FILE"
  | "PUBLIC_KEY_FILE"
  | "NOTARIZER_PUBLIC_KEY"
  | "ISSUERS"
  | "LOCAL_ISSUERS"

type Settings = SettingsReader<Name>

/**
 * Reads the environment into a frozen value.
 *
 * @throws ConfigFaults, with all faults at once
 */
export function readConfig(environment: Environment): Readonly<FetcherConfig> {
  const settings: Settings = new SettingsReader(environment, "COUNTERSIGN_FETCHER_")
  const listed = settings.text("ISSUERS")
  const config: FetcherConfig = {
    seedFile: settings.path("SEED_FILE", "fetcher", "seed"),
    publicKeyFile: settings.path("PUBLIC_KEY_FILE", "fetcher", "public-key"),
    listen: settings.listen("fetcher", "fetcher.sock"),
    notarizerPublicKey: settings.publicKeySet("NOTARIZER_PUBLIC_KEY"),
    issuers: listed === "*" ? "any" : new Set(readIssuers("ISSUERS", settings) ?? DEFAULT_ISSUERS),
    localIssuers: new Set(readIssuers("LOCAL_ISSUERS", settings)),
  }
  settings.finish()
  return Object.freeze(config)
}

function readIssuers(name: "ISSUERS" | "LOCAL_ISSUERS", settings: Settings): string[] | undefined {
  const texts = settings.text(name)?.split(",")
  return texts?.map((text, index) => {
    const place = `entry ${index + 1}`
    const issuer = canonicalIssuer(text.trim())
    if (issuer === undefined) settings.fault(name, `${place} is no issuer's URL`)
    else if (name === "ISSUERS" && !issuer.startsWith("https://"))
      settings.fault(name, `${place} is plain HTTP, which is for LOCAL_ISSUERS`)
    return issuer ?? ""
  })
}
