/** The schema of the sample shop's calls, in two files of which one imports the other. */
export const STOCK_PROTO = `syntax = "proto3";
package weir.shop.v1;

import "weir/shop/v1/money.proto";

// What is in the warehouses.
service Stock {
  rpc Watch(WatchRequest) returns (stream StockChange);
  rpc Reserve(ReserveRequest) returns (Reservation);
}

message WatchRequest {
  string warehouse = 1;
  string sku = 2;
  uint32 history_hours = 3;
}

message StockChange {
  string sku = 1;
  uint32 stock = 2;
  Money price = 3;
  string note = 4;
}

message ReserveRequest {
  string sku = 1;
  uint32 quantity = 2;
}

message Reservation {
  string id = 1;
}
`;

export const MONEY_PROTO = `syntax = "proto3";
package weir.shop.v1;

message Money {
  string currency = 1;
  int64 cents = 2;
}
`;

/** As a file chooser takes it. */
export function protoFile(name: string, source: string): { name: string; mimeType: string; buffer: Buffer } {
  return { name, mimeType: 'text/plain', buffer: Buffer.from(source) };
}
