import { TurnkeyClient } from "@turnkey/core-v2"
import { expose } from "../kit.ts"

await expose(async (configuration) => {
  const client = new TurnkeyClient(configuration)
  await client.init()
  return client
})
