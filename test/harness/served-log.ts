import { create, toBinary } from "@bufbuild/protobuf"
import {
  ReadLogResponseSchema,
  ReadLogTileResponseSchema,
} from "../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { LogKeyStatementSchema } from "../../proto/gen/countersign/state/v1/log_pb.ts"
import type { SignerContext } from "../../signer/enclave/rpc/context.ts"
import { readLog, readLogConsistency, readLogTile } from "../../signer/enclave/rpc/log.ts"
import { StubSigner } from "../services/api/stub-signer.ts"
import { DEPLOYMENT_ID, logSigner, type TestLog } from "./signer-log.ts"

/** A signer of which a test needs the log alone, answered as the real one answers. */
export class SignerOfLog extends StubSigner {
  log: TestLog
  /** Calls that reached the log's files. */
  calls = 0

  constructor(log: TestLog) {
    super()
    this.log = log
  }

  override async readLog(first = 0, count = 0) {
    this.calls += 1
    return create(
      ReadLogResponseSchema,
      await readLog({ first: BigInt(first), count } as never, this.#context),
    )
  }

  override async readLogTile(level: number, index: number, width: number) {
    this.calls += 1
    const request = { level, index: BigInt(index), width }
    return create(ReadLogTileResponseSchema, await readLogTile(request as never, this.#context))
  }

  override async readLogConsistency(oldSize: number, size: number) {
    const request = { oldSize: BigInt(oldSize), size: BigInt(size) }
    return (await readLogConsistency(request as never, this.#context)).hashes
  }

  get #context(): SignerContext {
    const { publicKey } = logSigner("key").key
    const statement = toBinary(
      LogKeyStatementSchema,
      create(LogKeyStatementSchema, { deploymentId: DEPLOYMENT_ID, publicKey }),
    )
    const keyring = { log: { statement, signature: this.sign("countersign/v1/log-key", statement) } }
    return {
      state: () => ({ log: this.log.log, keyring }),
      phase: () => ({ name: "ready" }),
    } as unknown as SignerContext
  }
}
