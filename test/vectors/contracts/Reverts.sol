// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// A contract of our own for tests: it keeps one number, and fails in each way in which contracts fail.
contract Reverts {
    /// `wanted` and `allowed`: amounts; `who`: the caller.
    error LimitExceeded(uint256 wanted, uint256 allowed, address who);

    uint256 public number;
    bool public closed;

    function set(uint256 value) external payable {
        require(!closed, "the contract is closed");
        number = value;
    }

    function close() external {
        closed = true;
    }

    function withText() external pure {
        revert("not today");
    }

    function withPanic(uint256 divisor) external pure returns (uint256) {
        return 1 / divisor;
    }

    function withError(uint256 wanted) external view {
        revert LimitExceeded(wanted, 7, msg.sender);
    }

    function withoutReason() external pure {
        revert();
    }
}
