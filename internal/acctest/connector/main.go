// Command connector is a stand-in for cloudflared and, under the name edge, for the far end of its tunnels, so that tests
// can send requests through a tunnel without Cloudflare. It is no tunnel to use: nothing between the two is encrypted.
//
//	cloudflared tunnel --no-autoupdate --metrics 0.0.0.0:2000 run   connects, with the token in the file TUNNEL_TOKEN_FILE
//	cloudflared tunnel --metrics localhost:2000 ready               asks the one above whether it is connected
//	edge                                                            takes connectors on :7844 and requests on :8080
//
// The connector refuses every other way to start it, among them those that cloudflared itself takes and that would show the
// token to others: what it accepts, cloudflared from 2025.4.0 on accepts as well. It dials the edge by the name
// "edge", which both have on a network they share.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	err := run(ctx, filepath.Base(os.Args[0]), os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, name string, args []string) error {
	if name == "edge" {
		e, err := newEdge(os.Getenv("EDGE_TOKENS"), os.Getenv("EDGE_INGRESS"))
		if err != nil {
			return err
		}
		return e.run(ctx, ":7844", ":8080")
	}
	command, err := parse(args, os.LookupEnv, os.Getuid())
	if err != nil {
		return fmt.Errorf("this stand-in for cloudflared refuses to start: %w", err)
	}
	switch command.verb {
	case "ready":
		return askReady(ctx, command.metrics)
	case "run":
		return newConnector("edge:7844", command.token).run(ctx, command.metrics)
	default:
		fmt.Fprintln(os.Stderr, "this is a stand-in for cloudflared, which has no version")
		return nil
	}
}
