import t from "tap"
import { Oauth2Provider } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { internet } from "../../../../signer/fetcher/network.ts"
import { askProvider, readAccessToken } from "../../../../signer/fetcher/oauth2/ask-provider.ts"
import { providerApi } from "../../../../signer/fetcher/oauth2/providers.ts"
import { webServer } from "../../../harness/web-server.ts"

/** Milliseconds, far below the usual deadline. */
const DEADLINE_MS = 50

t.test("a provider that never answers, or never ends its answer, is given up at the deadline", async (t) => {
  const answers = {
    nothing: () => {},
    "a head and half a body": (response: import("node:http").ServerResponse) => {
      response.writeHead(200, { "content-length": "100" })
      response.write('{"access_token":')
    },
  }
  for (const [what, answer] of Object.entries(answers)) {
    const server = await webServer((_request, response) => answer(response))
    t.teardown(() => server.close())
    const api = providerApi(Oauth2Provider.X)!
    const origin = { url: new URL(`http://127.0.0.1:${server.port}`), isLocal: true }
    const request = {
      api,
      origin,
      path: api.tokenPath,
      authorization: "Basic x",
      body: "a=b",
      read: readAccessToken,
    }
    const asked = askProvider(request, internet, DEADLINE_MS)
    const late = { code: "OAUTH2_UNAVAILABLE", message: "X did not answer in time; send the same body again" }
    await t.rejects(asked, late, what)
    t.same(server.asked, [api.tokenPath], "asked once")
  }
})
