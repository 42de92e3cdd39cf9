package swarm

import (
	"testing"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
)

func TestMain(m *testing.M) { acctest.Main(m) }
