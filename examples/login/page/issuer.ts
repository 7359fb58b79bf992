/** State of a login that the page keeps while the issuer's page is open. */
const PENDING = "pending-login"

type Pending = { publicKey: string; state: string }

/** The page's id at the issuer. */
const CLIENT_ID = "example"

/** Leaves for the issuer's page. The token's nonce ties it to the session key that was made before. */
export async function goToIssuer(issuer: string, publicKey: string): Promise<void> {
  const state = crypto.randomUUID()
  sessionStorage.setItem(PENDING, JSON.stringify({ publicKey, state } satisfies Pending))
  const asked = new URLSearchParams({
    client_id: CLIENT_ID,
    redirect_uri: `${location.origin}/`,
    response_type: "id_token",
    scope: "openid",
    nonce: await digestOf(publicKey),
    state,
    // Asks for the name each time.
    prompt: "login",
  })
  location.assign(`${issuer}/auth?${asked}`)
}

/** The token that the issuer sent back, with its session key; undefined: this is no return. */
export function returnedToken(): { idToken: string; publicKey: string } | undefined {
  const reply = new URLSearchParams(location.hash.slice(1))
  if (!reply.has("id_token") && !reply.has("error")) return undefined
  const pending = JSON.parse(sessionStorage.getItem(PENDING) ?? "{}") as Partial<Pending>
  sessionStorage.removeItem(PENDING)
  history.replaceState(null, "", location.pathname)
  const { publicKey, state } = pending
  if (publicKey === undefined || state !== reply.get("state"))
    throw new Error("This login was not begun here. Log in again.")
  const idToken = reply.get("id_token")
  if (idToken === null)
    throw new Error(`The issuer refused: ${reply.get("error_description")}. Log in again.`)
  return { idToken, publicKey }
}

/** SHA-256 of a key's hexadecimal text, in lower-case digits. */
async function digestOf(publicKey: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(publicKey))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("")
}
