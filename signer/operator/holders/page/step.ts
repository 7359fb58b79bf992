/** What the page shows, and what it asks an authenticator for, in the JSON form of Web Authentication §5.1.8 and §5.1.9. */
export type PageStep = {
  title: string
  lines: readonly string[]
  button: string
} & ({ create: PublicKeyCredentialCreationOptionsJSON } | { get: PublicKeyCredentialRequestOptionsJSON })

/** The line that the holder came for. `file`: name for its download. */
export type PageResult = { title: string; line: string; file: string }

/** What a page is opened for. `take`: reads what a browser answered to the present step. */
export type PageJob = {
  first: PageStep
  /** @throws what the page shows; the step is then asked again */
  take(answer: Buffer): PageStep | PageResult
}
