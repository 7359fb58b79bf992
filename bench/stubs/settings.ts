export type StubSettings = { port: number; databaseUrl: string }

/** Parts that G14 switches off, one at a time. */
export type Switches = {
  keys: "cached" | "parsed"
  write: "batch" | "transaction"
  call: "stream" | "unary"
}

export type PipelineSettings = StubSettings & Switches & { signerSocket: string }
export type PipelineSignerSettings = Pick<Switches, "keys"> & { signerSocket: string }
