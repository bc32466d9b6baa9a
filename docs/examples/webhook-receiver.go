// Receives the webhooks of Standin: checks each signature, drops repetitions, prints each message. Go 1.18 or newer.
//
//	WEBHOOK_SECRET=whsec_… go run docs/examples/webhook-receiver.go 9000
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

const maxBytes = 10_000_000

var (
	key  []byte
	seen sync.Map // In a real receiver: a table with a unique column.
)

type message struct {
	Event string
	Data  struct {
		BotID     string `json:"bot_id"`
		Status    struct{ Code string }
		Video     string
		ErrorCode string `json:"error_code"`
	}
}

func isGenuine(header http.Header, body []byte) bool {
	id, sent := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(sent, 10, 64)
	if err != nil || math.Abs(time.Since(time.Unix(seconds, 0)).Seconds()) >= 300 {
		return false
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", id, sent, body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	// Several signatures while a secret is being rotated.
	for _, given := range strings.Fields(header.Get("webhook-signature")) {
		if hmac.Equal([]byte(given), []byte(expected)) {
			return true
		}
	}
	return false
}

func receive(answer http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(answer, request.Body, maxBytes))
	if err != nil || !isGenuine(request.Header, body) {
		fmt.Fprintf(os.Stderr, "Refused %q: wrong secret, or too old\n", request.Header.Get("webhook-id"))
		answer.WriteHeader(http.StatusUnauthorized)
		return
	}
	answer.WriteHeader(http.StatusNoContent)
	if _, isRepeated := seen.LoadOrStore(request.Header.Get("webhook-id"), true); isRepeated {
		return
	}
	var received message
	if err := json.Unmarshal(body, &received); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	news := map[string]string{
		"bot.status_change": received.Data.Status.Code,
		"bot.completed":     received.Data.Video,
		"bot.failed":        received.Data.ErrorCode,
	}
	fmt.Println(received.Event, received.Data.BotID, news[received.Event])
}

func main() {
	var err error
	key, err = base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("WEBHOOK_SECRET"), "whsec_"))
	if err != nil || len(key) == 0 {
		fmt.Fprintln(os.Stderr, "Set WEBHOOK_SECRET to the secret of the endpoint, which begins with whsec_")
		os.Exit(2)
	}
	port := "9000"
	if len(os.Args) > 1 {
		port = os.Args[1]
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("Listening on http://%s\n", listener.Addr())
	fmt.Fprintln(os.Stderr, http.Serve(listener, http.HandlerFunc(receive)))
}
