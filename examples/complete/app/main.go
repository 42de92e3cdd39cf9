// Command app is the application of the example: each request writes a row into
// the database that the file -database names by its URL, and tells how many there
// are.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

func main() {
	secret := flag.String("database", "/run/secrets/database_url", "file with the URL of the database")
	healthcheck := flag.Bool("healthcheck", false, "ask the running application how it is, and exit")
	flag.Parse()
	if *healthcheck {
		resp, err := http.Get("http://127.0.0.1:8080/health")
		if err != nil || resp.StatusCode != http.StatusOK {
			os.Exit(1)
		}
		return
	}
	url, err := os.ReadFile(*secret)
	if err != nil {
		log.Fatal(err)
	}
	visits, err := open(context.Background(), strings.TrimSpace(string(url)))
	if err != nil {
		log.Fatalf("the database cannot be used: %v", err)
	}
	http.HandleFunc("GET /health", visits.health)
	http.HandleFunc("GET /{$}", visits.visit)
	log.Fatal(http.ListenAndServe(":8080", nil))
}

type visits struct{ db *pgxpool.Pool }

func open(ctx context.Context, url string) (*visits, error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	db, err := pgxpool.New(ctx, url)
	if err != nil {
		return nil, err
	}
	_, err = db.Exec(ctx, `CREATE TABLE IF NOT EXISTS visits (id bigserial PRIMARY KEY, at timestamptz NOT NULL DEFAULT now())`)
	return &visits{db}, err
}

func (v *visits) visit(w http.ResponseWriter, r *http.Request) {
	var count int
	if _, err := v.db.Exec(r.Context(), `INSERT INTO visits DEFAULT VALUES`); err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	if err := v.db.QueryRow(r.Context(), `SELECT count(*) FROM visits`).Scan(&count); err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintf(w, "visit %d\n", count)
}

func (v *visits) health(w http.ResponseWriter, r *http.Request) {
	if err := v.db.Ping(r.Context()); err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
	}
}
