import { orderCodecs } from "./codec/orders.ts"
import { SignerService } from "./gen/countersign/signer/v1/signer_pb.ts"
import { useCodecs } from "./grpc.ts"

// Every request is one message of the Execute stream each way. Both ends take the service from here, and the codecs of orders with it.
useCodecs(orderCodecs)

export { SignerService }
